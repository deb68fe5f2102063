// Options of commands that compute kernel values: how exactly, with how many threads, with which
// instructions.
#pragma once

#include <mercer/gram.hpp>
#include <string>

#include "cli/options.hpp"

namespace mercer::cli {

struct Computing {
  std::string precision = "float";
  std::string instructions;
  unsigned threads = 0;
};

void add_computing_options(Command& command, Computing& options);

GramOptions gram_options(const Computing& options);

}  // namespace mercer::cli
