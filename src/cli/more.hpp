// Commands that need proofs (FLINT), pictures (Cairo) or the studio (a web server): the libraries
// behind them take longer to load than most commands take. They are a module of the program,
// mercer_more.so, loaded when it is needed.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/proof.hpp>
#include <span>
#include <string_view>

#include "cli/command.hpp"

namespace mercer::cli {

struct More {
  struct Named {
    std::string_view name;
    Adder add;
  };
  std::span<const Named> commands;
  Verdict (*prove)(const Kernel& k, const ProofOptions& options);
};

// The module's. Throws Error where it is not there.
const More& more();

}  // namespace mercer::cli
