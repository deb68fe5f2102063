// Options of commands that read a table.
#pragma once

#include <mercer/data.hpp>
#include <mercer/encoding.hpp>
#include <mercer/kernel.hpp>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "learn/columns.hpp"

namespace mercer::cli {

struct TableOptions {
  std::string path;
  std::string label;
  std::string labels;
  bool no_labels = false;
  bool header = false;
  bool no_header = false;
  std::string missing = "error";
  std::vector<std::string> categories;
  std::vector<std::string> ignore;
  std::string weight;
  std::string format;
  bool zero_based = false;
};

// `operand`: the name of the file in the help.
void add_table_options(Command& command, TableOptions& options,
                       const std::string& operand = "DATA");

// --format and --zero-based alone.
void add_format_options(Command& command, std::string& format, bool& zero_based);

ReadOptions read_options(const TableOptions& options);
Missing missing_named(const std::string& name);

// Throws Error.
Table read(const TableOptions& options);
// With the labels of --labels, where it is given.
void add_labels(Table& table, const TableOptions& options);

using learn::in_columns_of;

}  // namespace mercer::cli
