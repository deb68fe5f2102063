#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mercer/describe.hpp>
#include <mercer/error.hpp>
#include <set>

#include "data/column_facts.hpp"
#include "data/columns.hpp"
#include "data/holes.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer {

namespace {

using data::ColumnFacts;
using Kind = Suspicion::Kind;

class Describer {
 public:
  explicit Describer(DataSummary& summary) : summary_(summary) {}

  void table(const Table& table) {
    const Points& points = table.points;
    summary_.rows = table.rows();
    summary_.sparse = points.is_sparse();
    summary_.labels = table.labels;
    summary_.groups = std::set(table.groups.begin(), table.groups.end()).size();
    facts_.resize(table.columns());
    if (points.scalar() == Points::Scalar::float32) {
      numbers(points, points.values<float>());
    } else {
      numbers(points, points.values<double>());
    }
    for (std::size_t j = 0; j < facts_.size(); ++j) {
      facts_[j].fill_zeros(summary_.rows);
      summary_.columns.emplace_back();
      if (!table.names.empty()) summary_.columns[j].name = table.names[j];
      tell(j);
    }
    suspicions();
  }

  void frame(const Frame& frame) {
    summary_.rows = frame.rows;
    summary_.labels = frame.labels;
    summary_.weights = !frame.weights.empty();
    facts_.resize(frame.columns.size());
    std::vector<bool> holes(frame.rows);
    for (std::size_t j = 0; j < frame.columns.size(); ++j) {
      const auto& from = frame.columns[j];
      auto& column = summary_.columns.emplace_back();
      column.name = from.name;
      column.categorical = from.categorical;
      column.missing = from.missing;
      column.levels = from.levels.size();
      summary_.missing += from.missing;
      for (std::size_t i = 0; i < frame.rows; ++i) {
        if (data::is_hole(from, i)) {
          holes[i] = true;
        } else {
          // Categories as numbers, for the fingerprint.
          facts_[j].add(i, from.categorical ? from.codes[i] + 1 : from.numbers[i]);
        }
      }
      if (from.categorical) {
        summary_.entries += facts_[j].count();
        categories(j, from, frame.rows);
      } else {
        tell(j);
      }
    }
    summary_.rows_with_missing = static_cast<std::size_t>(std::ranges::count(holes, true));
    suspicions();
  }

 private:
  template <class T>
  void numbers(const Points& points, const T* values) {
    for (std::size_t i = 0; i < points.rows(); ++i) {
      if (points.is_sparse()) {
        for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e)
          facts_[static_cast<std::size_t>(points.indices()[e])].add(i,
                                                                    static_cast<double>(values[e]));
      } else {
        for (std::size_t j = 0; j < points.columns(); ++j)
          facts_[j].add(i, static_cast<double>(values[i * points.stride() + j]));
      }
    }
  }

  void tell(std::size_t j) {
    auto& column = summary_.columns[j];
    const auto& facts = facts_[j];
    column.zeros = facts.zeros();
    column.least = facts.least();
    column.largest = facts.largest();
    column.mean = facts.mean();
    column.deviation = facts.deviation();
    summary_.entries += facts.count() - facts.zeros();
  }

  [[nodiscard]] std::string name(std::size_t j) const {
    const auto& given = summary_.columns[j].name;
    return given.empty() ? std::to_string(j + 1) : data::shown(given);
  }
  [[nodiscard]] std::string names(const std::vector<std::size_t>& columns) const {
    constexpr std::size_t most = 5;
    std::string text = columns.size() == 1 ? "column " : "columns ";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i == most) return text + fmt::format(" and {} more", columns.size() - most);
      text += (i == 0 ? "" : ", ") + name(columns[i]);
    }
    return text;
  }
  void suspect(Kind kind, std::vector<std::size_t> columns, std::string text) {
    summary_.suspicions.push_back({kind, std::move(columns), std::move(text)});
  }

  void categories(std::size_t j, const Frame::Column& from, std::size_t rows) {
    constexpr std::size_t enough = 20;
    const std::size_t present = rows - from.missing;
    const auto like_numbers =
        static_cast<std::size_t>(std::ranges::count_if(from.levels, data::looks_like_a_number));
    if (from.number_cells > 0) {
      std::string odd;
      for (const auto& level : from.levels)
        if (odd.empty() && !data::looks_like_a_number(level)) odd = level;
      suspect(
          Kind::number_as_text, {j},
          fmt::format("column {} holds {} numbers and {} other cells{}", name(j), from.number_cells,
                      present - from.number_cells, odd.empty() ? "" : ", as " + data::shown(odd)));
    } else if (like_numbers > 0 && like_numbers == from.levels.size()) {
      suspect(Kind::number_as_text, {j},
              fmt::format("column {} looks like numbers written for people, as {}", name(j),
                          data::shown(from.levels[0])));
    } else if (present >= enough && from.levels.size() == present) {
      suspect(Kind::id, {j},
              fmt::format("column {} is different in every row: a name or a key", name(j)));
    }
  }

  void suspicions() {
    constants();
    duplicates();
    same_names();
    std::vector<std::size_t> ids;
    for (std::size_t j = 0; j < facts_.size(); ++j)
      if (!summary_.columns[j].categorical && facts_[j].counts_rows()) ids.push_back(j);
    if (!ids.empty())
      suspect(Kind::id, ids,
              names(ids) + (ids.size() == 1 ? " counts" : " count") +
                  " the rows: leave it out "
                  "(--ignore)");
    scales();
    labels();
  }

  void constants() {
    std::vector<std::size_t> constant;
    for (std::size_t j = 0; j < facts_.size(); ++j)
      if (facts_[j].constant()) constant.push_back(j);
    if (constant.empty()) return;
    const bool one = constant.size() == 1;
    std::string text = names(constant) + (one ? " is" : " are") + " the same in every row";
    suspect(Kind::constant, std::move(constant), std::move(text));
  }

  void duplicates() {
    struct Group {
      std::size_t first = 0;
      std::vector<std::size_t> others;
    };
    std::map<std::pair<std::uint64_t, bool>, Group> groups;
    for (std::size_t j = 0; j < facts_.size(); ++j) {
      if (facts_[j].constant()) continue;
      const auto [at, fresh] =
          groups.try_emplace({facts_[j].fingerprint(), summary_.columns[j].categorical});
      if (fresh) {
        at->second.first = j;
      } else {
        at->second.others.push_back(j);
      }
    }
    std::vector<Group> found;
    for (auto& [key, group] : groups)
      if (!group.others.empty()) found.push_back(std::move(group));
    std::ranges::sort(found, {}, &Group::first);
    for (auto& group : found) {
      std::string text = names(group.others) + (group.others.size() == 1 ? " is" : " are") +
                         " the same as column " + name(group.first);
      group.others.insert(group.others.begin(), group.first);
      suspect(Kind::duplicate, std::move(group.others), std::move(text));
    }
  }

  void same_names() {
    std::map<std::string, std::vector<std::size_t>> named;
    for (std::size_t j = 0; j < facts_.size(); ++j)
      if (!summary_.columns[j].name.empty()) named[summary_.columns[j].name].push_back(j);
    for (auto& [name, columns] : named)
      if (columns.size() > 1) {
        std::string text = fmt::format("{} columns are named {}: rename them before training",
                                       columns.size(), data::shown(name));
        suspect(Kind::same_name, std::move(columns), std::move(text));
      }
  }

  // Rare entries of sparse data deviate little, whatever their size: there the largest counts.
  [[nodiscard]] double size(std::size_t j) const {
    return summary_.sparse ? std::max(std::abs(facts_[j].least()), std::abs(facts_[j].largest()))
                           : facts_[j].deviation();
  }

  void scales() {
    constexpr double much = 1000;
    std::size_t small = facts_.size();
    std::size_t large = facts_.size();
    for (std::size_t j = 0; j < facts_.size(); ++j) {
      if (summary_.columns[j].categorical || facts_[j].constant()) continue;
      if (small == facts_.size() || size(j) < size(small)) small = j;
      if (large == facts_.size() || size(j) > size(large)) large = j;
    }
    if (small == large || size(large) <= much * size(small)) return;
    suspect(Kind::scales, {small, large},
            fmt::format("columns {} and {} differ much in size ({} {:.3g} and {:.3g}): "
                        "scale them (--scale standard)",
                        name(small), name(large), summary_.sparse ? "up to" : "deviations",
                        size(small), size(large)));
  }

  void labels() {
    if (summary_.labels.empty()) return;
    const Classes classes = classes_of(summary_.labels);
    if (classes.names.size() == 1) {
      suspect(Kind::one_class, {},
              "all labels are " + data::shown(classes.names[0]) + ": is another column the label?");
      return;
    }
    constexpr std::size_t few = 5;
    constexpr std::size_t most_classes = 100;
    if (classes.names.size() > most_classes) return;  // quantities
    std::vector<std::string> rare;
    for (std::size_t c = 0; c < classes.names.size(); ++c)
      if (classes.counts[c] < few && summary_.rows >= 10 * few) rare.push_back(classes.names[c]);
    if (rare.empty()) return;
    std::string text = rare.size() == 1 ? "class " : "classes ";
    constexpr std::size_t most = 5;
    for (std::size_t i = 0; i < std::min(rare.size(), most); ++i)
      text += (i == 0 ? "" : ", ") + data::shown(rare[i]);
    if (rare.size() > most) text += fmt::format(" and {} more", rare.size() - most);
    suspect(Kind::rare_class, {},
            text + (rare.size() == 1 ? " has" : " have") +
                fmt::format(" fewer than {} rows: too few to learn from", few));
  }

  DataSummary& summary_;
  std::vector<ColumnFacts> facts_;
};

}  // namespace

const char* name_of(Suspicion::Kind kind) {
  switch (kind) {
    case Kind::constant:
      return "constant";
    case Kind::duplicate:
      return "duplicate";
    case Kind::same_name:
      return "same-name";
    case Kind::id:
      return "id";
    case Kind::number_as_text:
      return "number-as-text";
    case Kind::scales:
      return "scales";
    case Kind::rare_class:
      return "rare-class";
    case Kind::one_class:
      break;
  }
  return "one-class";
}

DataSummary describe(const std::string& path, const ReadOptions& options) {
  const data::Source source = data::open_source(path);
  DataSummary summary;
  summary.format = data::format_in(source, options);
  summary.packed = source.packed;
  Describer describer(summary);
  if (summary.format == FileFormat::csv) {
    const data::Cells cells = data::read_cells(source, options);
    if (cells.layout.delimiter == '\t') summary.format = FileFormat::tsv;
    describer.frame(data::frame_of(cells, true));
  } else if (summary.format == FileFormat::npy && data::npy_has_holes(source)) {
    describer.frame(data::npy_frame(source, options));
  } else {
    describer.table(data::read_source(source, options));
  }
  return summary;
}

}  // namespace mercer
