// Options of commands that write a table, to a file or to stdout.
#pragma once

#include <mercer/data.hpp>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace mercer::cli {

struct Output {
  std::string path;  // "" or "-": stdout
  std::string to;    // a format by name; empty: by the ending of the path
  bool force = false;
};

// -o, --to and --force.
void add_output_options(Command& command, std::string& path, std::string& to, bool& force);
// --to alone, for a command whose operand is the path.
void add_format_option(Command& command, std::string& to, bool& force);

bool to_stdout(const Output& out);
WrittenAs format_of(const Output& out);

// Before any work: does every output have a place of its own? One that is an input or another
// output, by whatever name, would destroy it: --force does not help there. Empty names are no
// files. Throws Error.
void check_apart(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
void check_new_file(const std::string& path, bool force);
// Both, for a command that writes one table.
void check_output(const Output& out, bool json, const std::vector<std::string>& inputs);
void write(const Table& table, const Output& out);

}  // namespace mercer::cli
