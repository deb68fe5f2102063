// mercer data FILE: what is in a file of data?
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mercer/describe.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/table_options.hpp"

namespace mercer::cli {

namespace {

struct DataCall {
  TableOptions table;
  bool json = false;
};

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string format_name(const DataSummary& s) {
  std::string name;
  switch (s.format) {
    case FileFormat::libsvm:
      name = "LIBSVM";
      break;
    case FileFormat::csv:
      name = "text in columns";
      break;
    case FileFormat::tsv:
      name = "text in columns, tabs";
      break;
    case FileFormat::npy:
      name = ".npy";
      break;
  }
  return name + (s.packed ? ", in gzip" : "");
}

double density(const DataSummary& s) {
  const double cells = static_cast<double>(s.rows) * static_cast<double>(s.columns.size());
  return cells == 0 ? 0 : static_cast<double>(s.entries) / cells;
}

// Classes, or quantities where they are too many to be classes.
bool are_classes(const Classes& classes) {
  constexpr std::size_t most = 100;
  return !classes.names.empty() && classes.names.size() <= most;
}

void show_labels(const DataSummary& s, Rows& rows) {
  if (s.labels.empty()) {
    rows.emplace_back("labels", "none");
    return;
  }
  const std::string name = s.labels.name.empty() ? "" : " in " + in_quotes(s.labels.name);
  const Classes classes = classes_of(s.labels);
  if (!are_classes(classes) && !s.labels.numbers.empty()) {
    const auto [low, high] = std::ranges::minmax(s.labels.numbers);
    rows.emplace_back("labels", fmt::format("numbers{} from {} to {}, {} different", name,
                                            shortest(low), shortest(high), classes.names.size()));
    return;
  }
  rows.emplace_back("labels", counted(classes.names.size(), "class", "classes") + name);
  constexpr std::size_t most = 30;
  for (std::size_t c = 0; c < std::min(classes.names.size(), most); ++c)
    rows.emplace_back(
        "  " + classes.names[c],
        fmt::format("{}  {:.1f}%", classes.counts[c],
                    100.0 * static_cast<double>(classes.counts[c]) / static_cast<double>(s.rows)));
  if (classes.names.size() > most)
    rows.emplace_back(fmt::format("  … and {} more", classes.names.size() - most), "");
}

std::string column_text(const ColumnSummary& c) {
  std::string text = c.categorical ? counted(c.levels, "level")
                                   : fmt::format("{:.4g} to {:.4g}, mean {:.4g}, deviation {:.4g}",
                                                 c.least, c.largest, c.mean, c.deviation);
  if (c.missing > 0) text += fmt::format(", {} missing", c.missing);
  return text;
}

std::string show(const DataSummary& s, const std::string& path) {
  Rows rows{
      {"format", format_name(s)},
      {"rows", std::to_string(s.rows)},
      {"columns", std::to_string(s.columns.size()) + (s.labels.empty() ? "" : " and the label")}};
  rows.emplace_back("not zero", fmt::format("{:.3g}% of the numbers{}", 100 * density(s),
                                            s.sparse ? ", stored sparse" : ""));
  if (s.missing > 0)
    rows.emplace_back("missing", fmt::format("{} in {}", counted(s.missing, "cell"),
                                             counted(s.rows_with_missing, "row")));
  if (s.weights) rows.emplace_back("weights", "yes");
  if (s.groups > 0) rows.emplace_back("groups", fmt::format("{} (qid)", s.groups));
  show_labels(s, rows);
  std::string text = path + "\n" + aligned(rows) + "\n\n";
  constexpr std::size_t most = 25;
  Rows columns;
  for (std::size_t j = 0; j < std::min(s.columns.size(), most); ++j)
    columns.emplace_back(
        s.columns[j].name.empty() ? fmt::format("column {}", j + 1) : s.columns[j].name,
        column_text(s.columns[j]));
  text += aligned(columns);
  if (s.columns.size() > most)
    text += fmt::format("\n… and {} more (--json lists them)", s.columns.size() - most);
  text += s.suspicions.empty() ? "\n\nNothing looks suspicious." : "\n\nLook at this:";
  // A few of each kind say enough.
  constexpr std::size_t few = 5;
  std::map<Suspicion::Kind, std::size_t> counts;
  for (const auto& suspicion : s.suspicions)
    if (++counts[suspicion.kind] <= few) text += "\n- " + suspicion.text;
  for (const auto& [kind, count] : counts)
    if (count > few)
      text += fmt::format("\n- … and {} more of the kind \"{}\" (--json lists them)", count - few,
                          name_of(kind));
  return text;
}

Json to_json(const DataSummary& s, const std::string& path) {
  constexpr std::array<const char*, 4> formats{"libsvm", "csv", "tsv", "npy"};
  Json json{{"file", path},
            {"format", formats[static_cast<std::size_t>(s.format)]},
            {"gzip", s.packed},
            {"rows", s.rows},
            {"columns", s.columns.size()},
            {"sparse", s.sparse},
            {"entries", s.entries},
            {"density", density(s)},
            {"missing", {{"cells", s.missing}, {"rows", s.rows_with_missing}}}};
  if (s.groups > 0) json["groups"] = s.groups;
  if (!s.labels.empty()) {
    const Classes classes = classes_of(s.labels);
    Json& labels = json["labels"];
    labels["name"] = s.labels.name;
    if (are_classes(classes) || s.labels.numbers.empty()) {
      labels["kind"] = "classes";
      for (std::size_t c = 0; c < classes.names.size(); ++c)
        labels["classes"].push_back({{"name", classes.names[c]}, {"rows", classes.counts[c]}});
    } else {
      const auto [low, high] = std::ranges::minmax(s.labels.numbers);
      labels.update({{"kind", "numbers"}, {"least", low}, {"largest", high}});
    }
  }
  Json columns = Json::array();
  // A list of a million columns would be no summary.
  constexpr std::size_t most = 10000;
  for (std::size_t j = 0; j < std::min(s.columns.size(), most); ++j) {
    const auto& c = s.columns[j];
    Json column{{"name", c.name}, {"missing", c.missing}};
    if (c.categorical) {
      column.update({{"kind", "categories"}, {"levels", c.levels}});
    } else {
      column.update({{"kind", "numbers"},
                     {"least", c.least},
                     {"largest", c.largest},
                     {"mean", c.mean},
                     {"deviation", c.deviation},
                     {"zeros", c.zeros}});
    }
    columns.push_back(column);
  }
  json["described"] = columns;
  Json suspicions = Json::array();
  for (const auto& suspicion : s.suspicions) {
    Json numbers = Json::array();
    for (const auto j : suspicion.columns) numbers.push_back(j + 1);
    suspicions.push_back(
        {{"kind", name_of(suspicion.kind)}, {"columns", numbers}, {"text", suspicion.text}});
  }
  json["suspicions"] = suspicions;
  return json;
}

ExitCode run_data(const DataCall& options) {
  DataSummary summary = describe(options.table.path, read_options(options.table));
  if (!options.table.labels.empty()) {
    summary.labels = read_labels(options.table.labels);
    if (summary.labels.size() != summary.rows)
      throw Error(options.table.labels + ": " + std::to_string(summary.labels.size()) +
                  " labels for the " + std::to_string(summary.rows) + " rows of " +
                  options.table.path);
  }
  if (options.json) {
    print(to_json(summary, options.table.path));
  } else {
    print(show(summary, options.table.path));
  }
  return done;
}

}  // namespace

void add_data(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<DataCall>();
  Command* command =
      add_command(program, chosen, "data", "Describe a file of data, and what in it looks wrong",
                  options, run_data);
  add_table_options(*command, options->table, "FILE");
  command->footer(
      "Format, rows, columns, classes, missing values; and columns that look suspicious: "
      "constant,\n"
      "the same as another, a number of the row, numbers written as text, sizes that differ "
      "much.\n\n"
      "Examples:\n"
      "  mercer data iris.csv\n"
      "  mercer data a9a.libsvm.gz\n"
      "  mercer data adult.csv --label income --json");
}

}  // namespace mercer::cli
