// Options of commands that read a table with labels.
#pragma once

#include <CLI/CLI.hpp>
#include <mercer/data.hpp>
#include <string>

namespace mercer::cli {

struct TableOptions {
  std::string path;
  std::string label;
  std::string labels;
  bool header = false;
  bool no_header = false;
};

void add_table_options(CLI::App& command, TableOptions& options);

// Throws Error.
Table read(const TableOptions& options);

}  // namespace mercer::cli
