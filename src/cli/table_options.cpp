#include "cli/table_options.hpp"

#include <mercer/error.hpp>

namespace mercer::cli {

void add_table_options(CLI::App& command, TableOptions& options) {
  command
      .add_option("DATA", options.path,
                  "the data: text with commas, semicolons or tabs, or .npy; one point per row")
      ->required();
  auto* label = command
                    .add_option("--label", options.label,
                                "the column of the labels, by name or by number; else the last")
                    ->type_name("COLUMN");
  command
      .add_option("--labels", options.labels,
                  "labels in a file of their own, one per line or .npy; DATA then has none")
      ->type_name("FILE")
      ->excludes(label);
  auto* header =
      command.add_flag("--header", options.header, "the first line holds names of columns");
  command.add_flag("--no-header", options.no_header, "the first line is data")->excludes(header);
}

Table read(const TableOptions& options) {
  ReadOptions how;
  if (!options.label.empty()) {
    how.labels = ReadOptions::Labels::column;
    how.label = options.label;
  }
  if (!options.labels.empty()) how.labels = ReadOptions::Labels::none;
  if (options.header) how.header = true;
  if (options.no_header) how.header = false;
  Table table = read_table(options.path, how);
  if (!options.labels.empty()) {
    table.labels = read_labels(options.labels);
    if (table.labels.size() != table.rows())
      throw Error(options.labels + ": " + std::to_string(table.labels.size()) + " labels for the " +
                  std::to_string(table.rows()) + " rows of " + options.path);
  }
  return table;
}

}  // namespace mercer::cli
