// Options of commands that search: `tune` and `auto`.
#pragma once

#include <mercer/tune.hpp>
#include <string>
#include <vector>

#include "cli/learner_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

struct SearchOptions {
  LearnerOptions learner;
  std::string kernels;
  std::vector<std::string> grid;
  std::string metric;
  std::string budget;
  std::string search = "halving";
  bool compose = false;
  std::size_t folds = 5;
  std::size_t rows = 0;
  std::string groups;
  std::size_t nested = 0;
  std::string record;
  bool resume = false;
  bool json = false;
};

// Those of both commands; `tune` has more.
void add_search_options(Command& command, SearchOptions& options);

// Throws Error.
TuneOptions tune_options(const SearchOptions& options);
std::vector<Kernel> kernels_in(const std::string& text);

// The choice, and how it came about.
std::vector<std::pair<std::string, std::string>> lines_of(const Tuned& tuned);

}  // namespace mercer::cli
