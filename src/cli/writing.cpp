#include "cli/writing.hpp"

#include <filesystem>
#include <iostream>
#include <mercer/error.hpp>

#include "cli/values.hpp"

namespace mercer::cli {

namespace {

namespace files = std::filesystem;

// Where a name leads, though nothing may be there yet.
files::path place_of(const std::string& name) {
  std::error_code error;
  files::path place = files::absolute(name, error);
  constexpr int most = 40;  // links may go round in a circle
  for (int k = 0; k < most && files::is_symlink(place, error); ++k)
    place = place.parent_path() / files::read_symlink(place, error);
  files::path whole = files::weakly_canonical(place, error);
  return error ? place : whole;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return files::equivalent(a, b, error) || place_of(a) == place_of(b);
}

bool is_file(const std::string& path) { return !path.empty() && path != "-"; }

std::string and_its_name(const std::string& path, const std::string& other) {
  return path == other ? path : path + " (the same file as " + other + ")";
}

}  // namespace

void add_format_option(Command& command, std::string& to, bool& force) {
  command
      .add_option("--to", to,
                  "libsvm, csv, tsv or npy; else by the ending of the name, on stdout csv")
      ->check(one_of({"libsvm", "csv", "tsv", "npy"}))
      ->type_name("FORMAT");
  command.add_flag("--force", force, "replace the file if it is there");
}

void add_output_options(Command& command, std::string& path, std::string& to, bool& force) {
  command.add_option("-o,--out", path, "where to write; without it, to stdout")->type_name("OUT");
  add_format_option(command, to, force);
}

bool to_stdout(const Output& out) { return out.path.empty() || out.path == "-"; }

WrittenAs format_of(const Output& out) {
  if (out.to.empty()) return to_stdout(out) ? WrittenAs{} : written_as(out.path);
  return {written_as("." + out.to).format, out.path.ends_with(".gz")};
}

void check_apart(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_file(outputs[i])) continue;
    for (const auto& input : inputs)
      if (is_file(input) && same_file(outputs[i], input))
        throw Error(and_its_name(outputs[i], input) +
                    " is read, so it cannot be written, too; write to another file");
    for (std::size_t j = 0; j < i; ++j)
      if (is_file(outputs[j]) && same_file(outputs[i], outputs[j]))
        throw Error(and_its_name(outputs[i], outputs[j]) +
                    " would be written twice; give each output a name of its own");
  }
}

void check_new_file(const std::string& path, bool force) {
  std::error_code error;
  if (path == "-")
    throw Error("- would be stdout, and this goes to a file: give it a name (./- is one, too)");
  // The new file takes the place of the old one, which for a device is not what is meant.
  if (files::exists(path, error) && !files::is_regular_file(path, error))
    throw Error(path + " is there and is not an ordinary file; write to another name");
  if (!force && files::exists(path, error))
    throw Error(path + " is there already; --force replaces it, another name keeps it");
  const auto folder = files::path(path).parent_path();
  if (!folder.empty() && !files::is_directory(folder, error))
    throw Error(path + ": there is no folder " + folder.string());
}

void check_output(const Output& out, bool json, const std::vector<std::string>& inputs) {
  format_of(out);
  check_apart(inputs, {out.path});
  if (to_stdout(out)) {
    if (json)
      throw Error("--json needs a file to write to (-o, or OUT): stdout is taken by the data");
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
