// mercer convert IN OUT: from any format to any other.
#include <fmt/format.h>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/table_options.hpp"
#include "cli/values.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

struct ConvertCall {
  TableOptions table;
  std::string out;
  std::string to;
  std::string scale = "none";
  bool single = false;
  bool force = false;
  bool json = false;
};

Scaling scaling_named(const std::string& name) {
  if (name == "standard") return Scaling::standard;
  return name == "minmax" ? Scaling::minmax : Scaling::none;
}

// Text labels that LIBSVM has no place for.
bool numbers_classes(const Table& table, WrittenAs how) {
  return how.format == FileFormat::libsvm && !table.labels.classes.empty();
}

// What the table has and the format has no place for.
std::vector<std::string> left_out(const Table& table, FileFormat format) {
  const bool columns = format == FileFormat::csv || format == FileFormat::tsv;
  std::vector<std::string> notes;
  if (!table.weights.empty() && !columns)
    notes.push_back(fmt::format("the weights are left out: {} has no place for them; .csv has",
                                format == FileFormat::npy ? ".npy" : "LIBSVM"));
  if (!table.groups.empty() && format != FileFormat::libsvm)
    notes.emplace_back("the groups (qid) are left out: only .libsvm has a place for them");
  return notes;
}

std::string show(const EncodedTable& done, const ConvertCall& options, WrittenAs how) {
  const Table& table = done.table;
  std::string text =
      fmt::format("{}: {}, {}{}", options.out, counted(table.rows(), "row"),
                  counted(table.columns(), "column"), table.labels.empty() ? "" : " and the label");
  if (!done.report.dropped.empty())
    text += fmt::format("\n{} with missing values left out",
                        counted(done.report.dropped.size(), "row"));
  if (done.report.filled > 0)
    text += "\n" + counted(done.report.filled, "missing value") + " filled in";
  for (const auto& column : done.encoding.columns)
    if (column.categorical)
      text += fmt::format("\n{}: {} of 0 and 1", column.name.empty() ? "a column" : column.name,
                          counted(column.levels.size() + (column.indicator ? 1 : 0), "column"));
  if (numbers_classes(table, how)) {
    const auto names = libsvm_classes(table.labels);
    for (std::size_t c = 0; c < names.size(); ++c)
      text += fmt::format("\nclass {} is written as {}", table.labels.classes[c], names[c]);
  }
  return text;
}

Json to_json(const EncodedTable& done, const ConvertCall& options, WrittenAs how) {
  Json json{{"from", options.table.path},
            {"file", options.out},
            {"rows", done.table.rows()},
            {"columns", done.table.columns()},
            {"dropped", done.report.dropped.size()},
            {"filled", done.report.filled}};
  if (!done.table.names.empty() && done.table.names.size() <= 10000)
    json["names"] = done.table.names;
  json["notes"] = left_out(done.table, how.format);
  if (numbers_classes(done.table, how)) {
    const auto names = libsvm_classes(done.table.labels);
    for (std::size_t c = 0; c < names.size(); ++c)
      json["classes"][done.table.labels.classes[c]] = names[c];
  }
  return json;
}

ExitCode run_convert(const ConvertCall& options) {
  const Output out{options.out, options.to, options.force};
  check_output(out, options.json, {options.table.path, options.table.labels});
  EncodingOptions how;
  how.missing = missing_named(options.table.missing);
  how.scaling = scaling_named(options.scale);
  if (options.single) how.scalar = Points::Scalar::float32;
  EncodedTable result = read_training(options.table.path, read_options(options.table), how);
  add_labels(result.table, options.table);
  const WrittenAs as = format_of(out);
  write(result.table, out);
  if (options.json) {
    print(to_json(result, options, as));
    return done;
  }
  if (!to_stdout(out)) print(show(result, options, as));
  print_notes(left_out(result.table, as.format));
  return done;
}

}  // namespace

void add_convert(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<ConvertCall>();
  Command* command =
      add_command(program, chosen, "convert", "Write data in another format, encoded and scaled",
                  options, run_convert);
  add_table_options(*command, options->table, "IN");
  command
      ->add_option("OUT", options->out,
                   "a name in .libsvm, .csv, .tsv or .npy, also with .gz; - is stdout")
      ->required();
  command
      ->add_option("--scale", options->scale,
                   "of numbers: standard (mean 0, deviation 1), minmax (0 to 1); in LIBSVM zero "
                   "stays zero")
      ->check(one_of({"none", "standard", "minmax"}))
      ->type_name("HOW")
      ->capture_default_str();
  command->add_flag("--float", options->single, "numbers of 32 bits instead of 64");
  add_format_option(*command, options->to, options->force);
  command->footer(
      "Columns of text become columns of 0 and 1, one for each different text. LIBSVM's labels "
      "are\n"
      "numbers: two classes of text are written as -1 and 1, more as 1, 2, …\n\n"
      "Examples:\n"
      "  mercer convert iris.csv iris.libsvm\n"
      "  mercer convert adult.csv.gz adult.libsvm.gz --missing indicator --scale minmax\n"
      "  mercer convert a9a.libsvm a9a.npy --float");
}

}  // namespace mercer::cli
