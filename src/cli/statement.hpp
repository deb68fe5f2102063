// What `prove` and `equal` have in common: where a statement is made, and what was found.
#pragma once

#include <cstdint>
#include <mercer/mercer.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"

namespace mercer::cli {

struct Where {
  std::string domain = "R";
  std::optional<std::uint32_t> dimension;
};

// --over and --dim; `any` says which dimensions are meant without --dim.
void add_where(Command& command, Where& where, const std::string& any);

// " on R in every dimension from 2", for a statement about these.
std::string scope(const Where& where, const std::vector<Kernel>& kernels);

// The domain in canonical text.
std::string domain_text(const Where& where);

// Of a statement that may be found true, found false or stay unknown.
template <class Kind>
ExitCode code_of(Kind kind, Kind yes, Kind no) {
  return kind == yes ? done : kind == no ? answer_is_no : undecided;
}

// "3/2", or "(1, 0)", or "(1, 0, …, 0)" where the rest is the same for long.
std::string point_text(const std::vector<std::string>& coordinates);

}  // namespace mercer::cli
