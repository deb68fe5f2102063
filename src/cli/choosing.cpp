#include "cli/choosing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mercer/error.hpp>
#include <mercer/frame.hpp>

#include "base/text.hpp"

namespace mercer::cli {

namespace {

// The groups by what stands in their column.
std::vector<std::int64_t> groups_in(const LearnerOptions& options, const std::string& column) {
  ReadOptions only = read_options(options.table);
  only.labels = ReadOptions::Labels::none;
  only.only = {column};
  only.categories = {column};
  only.weight.clear();
  only.ignore.clear();
  const Frame frame = [&] {
    try {
      return read_frame(options.table.path, only);
    } catch (const Error& error) {
      throw Error("--groups " + column + ": " + error.what());
    }
  }();
  std::vector<std::int64_t> groups;
  for (const std::int32_t code : frame.columns.at(0).codes) {
    if (code < 0)
      throw Error(options.table.path + ":" + std::to_string(groups.size() + 1) +
                  ": the row has no group: its cell in column " + column + " is missing");
    groups.push_back(code);
  }
  return groups;
}

}  // namespace

void add_group_option(Command& command, std::string& groups) {
  command
      .add_option("--groups", groups,
                  "rows with the same value in this column are never apart, and it is no feature; "
                  "qid: the groups of LIBSVM")
      ->type_name("COLUMN");
}

ReadExamples read_examples(const LearnerOptions& options, const std::string& groups) {
  const std::string& path = options.table.path;
  ReadOptions read = read_options(options.table);
  const bool by_column = !groups.empty() && groups != "qid";
  const auto all = by_column ? groups_in(options, groups) : std::vector<std::int64_t>();
  if (by_column) read.ignore.push_back(groups);
  ReadExamples result{Examples::read(path, read, encoding_options(options)), {}};
  if (!options.table.labels.empty()) result.examples.set_labels(read_labels(options.table.labels));
  if (groups.empty()) return result;
  if (groups == "qid") {
    result.groups = result.examples.groups();
    if (result.groups.empty())
      throw Error(path + ": there are no groups (qid:) in the file; --groups names a column");
    return result;
  }
  const auto& dropped = result.examples.dropped();
  for (std::size_t i = 0, k = 0; i < all.size(); ++i) {
    if (k < dropped.size() && dropped[k] == i) {
      ++k;
    } else {
      result.groups.push_back(all[i]);
    }
  }
  return result;
}

std::string figure(const CrossValidation::Measure& m) {
  if (!m.mean) return "none";
  return m.deviation ? fmt::format("{:.4f} ± {:.4f}", *m.mean, *m.deviation)
                     : fmt::format("{:.4f}", *m.mean);
}

std::string table_of_parts(const CrossValidation& cv) {
  if (cv.parts.size() < 2 || cv.measures.empty() ||
      cv.measures[0].by_part.size() != cv.parts.size())
    return {};
  constexpr std::size_t most = 50;
  std::vector<std::vector<std::string>> lines{{"part", "train", "test"}};
  for (const auto& m : cv.measures) lines[0].push_back(m.name);
  const bool repeated = cv.parts.back().repetition > 0;
  for (std::size_t p = 0; p < std::min(most, cv.parts.size()); ++p) {
    const auto& part = cv.parts[p];
    lines.push_back({repeated ? fmt::format("{}.{}", part.repetition + 1, part.fold + 1)
                              : std::to_string(part.fold + 1),
                     std::to_string(part.train), std::to_string(part.test)});
    for (const auto& m : cv.measures)
      lines.back().push_back(m.by_part[p] ? fmt::format("{:.4f}", *m.by_part[p]) : "none");
  }
  std::string text = grid(lines);
  if (cv.parts.size() > most) text += fmt::format("\n… and {} more parts", cv.parts.size() - most);
  return text;
}

Json to_json(const CrossValidation& cv) {
  Json json{{"task", cv.task == Model::Task::regression ? "regression" : "classification"},
            {"interrupted", cv.interrupted},
            {"closed_form", cv.closed_form}};
  for (const auto& m : cv.measures) {
    Json values = Json::array();
    for (const auto& v : m.by_part) values.push_back(v ? Json(*v) : Json());
    json["measures"][m.name] = {{"mean", m.mean ? Json(*m.mean) : Json()},
                                {"deviation", m.deviation ? Json(*m.deviation) : Json()},
                                {"by_part", values}};
  }
  json["parts"] = Json::array();
  for (const auto& p : cv.parts)
    json["parts"].push_back({{"repetition", p.repetition},
                             {"fold", p.fold},
                             {"train", p.train},
                             {"test", p.test},
                             {"seconds", p.seconds},
                             {"chosen", p.chosen},
                             {"message", p.message}});
  json["notes"] = cv.notes;
  return json;
}

}  // namespace mercer::cli
