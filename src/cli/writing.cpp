#include "cli/writing.hpp"

#include <filesystem>
#include <iostream>
#include <mercer/error.hpp>

namespace mercer::cli {

void add_format_option(CLI::App& command, std::string& to, bool& force) {
  command
      .add_option("--to", to,
                  "libsvm, csv, tsv or npy; else by the ending of the name, on stdout csv")
      ->check(CLI::IsMember({"libsvm", "csv", "tsv", "npy"}))
      ->type_name("FORMAT");
  command.add_flag("--force", force, "replace the file if it is there");
}

void add_output_options(CLI::App& command, std::string& path, std::string& to, bool& force) {
  command.add_option("-o,--out", path, "where to write; without it, to stdout")->type_name("OUT");
  add_format_option(command, to, force);
}

bool to_stdout(const Output& out) { return out.path.empty() || out.path == "-"; }

WrittenAs format_of(const Output& out) {
  if (out.to.empty()) return to_stdout(out) ? WrittenAs{} : written_as(out.path);
  return {written_as("." + out.to).format, out.path.ends_with(".gz")};
}

void check_new_file(const std::string& path, bool force) {
  std::error_code error;
  if (!force && std::filesystem::exists(path, error))
    throw Error(path + " is there already; --force replaces it, another name keeps it");
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    throw Error(path + ": there is no folder " + folder.string());
}

void check_output(const Output& out, bool json) {
  format_of(out);
  if (to_stdout(out)) {
    if (json) throw Error("--json needs a file to write to (-o): stdout is taken by the data");
    return;
  }
  check_new_file(out.path, out.force);
}

void write(const Table& table, const Output& out) {
  const WrittenAs how = format_of(out);
  if (to_stdout(out)) {
    std::cout << table_text(table, how.format);
  } else {
    write_table(out.path, table, how);
  }
}

}  // namespace mercer::cli
