#include "data/holes.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <tuple>

#include "data/place.hpp"

namespace mercer::data {

bool is_hole(const Frame::Column& column, std::size_t row) {
  return column.categorical ? column.codes[row] < 0 : std::isnan(column.numbers[row]);
}

void refuse_holes(const Frame& frame, std::span<const std::size_t> columns, bool later) {
  const auto where = [&](std::size_t j) {
    const auto& column = frame.columns[j];
    return std::tuple(column.missing == 0, column.first_missing.line, column.first_missing.column);
  };
  const auto first = std::ranges::min_element(columns, {}, where);
  if (first == columns.end() || frame.columns[*first].missing == 0) return;
  throw Error(frame.place(*first, frame.columns[*first].first_missing) +
              (later ? "a value is missing, and the training data were read without a rule for "
                       "that; fill it in, or train with --missing mean, indicator or drop"
                     : "a value is missing; fill it in, or say what to do (--missing drop, mean or "
                       "indicator)"));
}

std::vector<std::size_t> whole_rows(const Frame& frame, std::span<const std::size_t> columns) {
  std::vector<bool> holes(frame.rows);
  for (const std::size_t j : columns) {
    const auto& column = frame.columns[j];
    if (column.missing == 0) continue;
    for (std::size_t i = 0; i < frame.rows; ++i)
      if (is_hole(column, i)) holes[i] = true;
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < frame.rows; ++i)
    if (!holes[i]) rows.push_back(i);
  return rows;
}

void no_row_left(const std::string& file, bool later) {
  fail(file, std::string("every row has a missing value; none is left (") +
                 (later ? "training with " : "") + "--missing mean keeps them)");
}

Frame selected(const Frame& frame, std::span<const std::size_t> rows) {
  Frame part;
  part.file = frame.file;
  part.rows = rows.size();
  part.named = frame.named;
  part.labels = frame.labels.select(rows);
  for (const auto& from : frame.columns) {
    auto& column = part.columns.emplace_back();
    column.name = from.name;
    column.categorical = from.categorical;
    std::vector<std::int32_t> kept(from.levels.size(), -1);
    if (from.categorical) {
      for (const std::size_t i : rows)
        if (from.codes[i] >= 0) kept[static_cast<std::size_t>(from.codes[i])] = 0;
      for (std::size_t l = 0; l < kept.size(); ++l) {
        if (kept[l] < 0) continue;
        kept[l] = static_cast<std::int32_t>(column.levels.size());
        column.levels.push_back(from.levels[l]);
      }
    }
    for (const std::size_t i : rows) {
      if (is_hole(from, i)) ++column.missing;
      if (from.categorical) {
        column.codes.push_back(from.codes[i] < 0 ? -1
                                                 : kept[static_cast<std::size_t>(from.codes[i])]);
      } else {
        column.numbers.push_back(from.numbers[i]);
      }
    }
  }
  for (const std::size_t i : rows)
    if (!frame.weights.empty()) part.weights.push_back(frame.weights[i]);
  return part;
}

}  // namespace mercer::data
