#include "cli/table_options.hpp"

#include <map>
#include <mercer/error.hpp>

#include "cli/values.hpp"

namespace mercer::cli {

void add_format_options(Command& command, std::string& format, bool& zero_based) {
  command
      .add_option("--format", format, "libsvm, csv, tsv or npy, where the content does not tell")
      ->check(one_of({"libsvm", "csv", "tsv", "npy"}))
      ->type_name("FORMAT");
  command.add_flag("--zero-based", zero_based, "LIBSVM with indices that begin at 0");
}

void add_table_options(Command& command, TableOptions& options, const std::string& operand) {
  command
      .add_option(operand, options.path,
                  "the data: LIBSVM, text with commas, semicolons or tabs, or .npy, each also in "
                  ".gz; one point per row")
      ->required();
  auto* label = command
                    .add_option("--label", options.label,
                                "the column of the labels, by name or by number; else the last")
                    ->type_name("COLUMN");
  auto* labels = command
                     .add_option("--labels", options.labels,
                                 "labels in a file of their own, one per line or .npy; " + operand +
                                     " then has none")
                     ->type_name("FILE")
                     ->excludes(label);
  command.add_flag("--no-labels", options.no_labels, "there are no labels, all columns are points")
      ->excludes(label)
      ->excludes(labels);
  auto* header =
      command.add_flag("--header", options.header, "the first line holds names of columns");
  command.add_flag("--no-header", options.no_header, "the first line is data")->excludes(header);
  command
      .add_option(
          "--missing", options.missing,
          "what becomes of missing values (empty, ?, NA, NaN): error; drop the row; mean of "
          "the column, of categories the most frequent; indicator: the mean, and a column "
          "that tells where")
      ->check(one_of({"error", "drop", "mean", "indicator"}))
      ->type_name("HOW")
      ->capture_default_str();
  command
      .add_option("--categorical", options.categories,
                  "columns that are categories though they hold numbers, with commas between them")
      ->delimiter(',')
      ->type_name("COLUMNS");
  command.add_option("--ignore", options.ignore, "columns to leave out, with commas between them")
      ->delimiter(',')
      ->type_name("COLUMNS");
  command.add_option("--weight", options.weight, "the column of the weights of the rows")
      ->type_name("COLUMN");
  add_format_options(command, options.format, options.zero_based);
}

Missing missing_named(const std::string& name) {
  if (name == "drop") return Missing::drop;
  if (name == "mean") return Missing::mean;
  return name == "indicator" ? Missing::indicator : Missing::error;
}

ReadOptions read_options(const TableOptions& options) {
  ReadOptions how;
  if (!options.label.empty()) {
    how.labels = ReadOptions::Labels::column;
    how.label = options.label;
  }
  if (!options.labels.empty() || options.no_labels) how.labels = ReadOptions::Labels::none;
  if (options.header) how.header = true;
  if (options.no_header) how.header = false;
  how.missing = missing_named(options.missing);
  how.categories = options.categories;
  how.ignore = options.ignore;
  how.weight = options.weight;
  how.zero_based = options.zero_based;
  const std::map<std::string, FileFormat> formats{{"libsvm", FileFormat::libsvm},
                                                  {"csv", FileFormat::csv},
                                                  {"tsv", FileFormat::tsv},
                                                  {"npy", FileFormat::npy}};
  if (!options.format.empty()) how.format = formats.at(options.format);
  return how;
}

void add_labels(Table& table, const TableOptions& options) {
  if (options.labels.empty()) return;
  table.labels = read_labels(options.labels);
  if (table.labels.size() != table.rows())
    throw Error(options.labels + ": " + std::to_string(table.labels.size()) + " labels for the " +
                std::to_string(table.rows()) + " rows of " + options.path +
                (missing_named(options.missing) == Missing::drop
                     ? " that are left; --missing drop leaves labels of other files alone"
                     : ""));
}

Table read(const TableOptions& options) {
  Table table = read_table(options.path, read_options(options));
  add_labels(table, options);
  return table;
}

}  // namespace mercer::cli
