// Applying an encoding.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <numeric>
#include <unordered_map>

#include "base/text.hpp"
#include "data/encode.hpp"
#include "data/holes.hpp"
#include "data/place.hpp"
#include "data/scale.hpp"

namespace mercer {

namespace {

// "3 columns, expected the 2 of the training data"
std::string other_width(const Encoding& e, std::size_t found, std::size_t expected) {
  return std::to_string(found) + " columns, expected the " + std::to_string(expected) +
         (e.open ? " that the model's support vectors have; where the training data had more, "
                   "`mercer import --columns` says so"
                 : " of the training data");
}

// Throws Error where there are more or fewer.
void check_columns(const Encoding& e, const Frame& frame, std::size_t expected) {
  if (frame.columns.size() != expected)
    data::fail(frame.file, other_width(e, frame.columns.size(), expected));
}

// The columns of the frame that the encoding asks for, in its order.
std::vector<std::size_t> matched(const Encoding& e, const Frame& frame) {
  std::vector<std::size_t> order;
  if (!e.named || !frame.named) {
    check_columns(e, frame, e.columns.size());
    for (std::size_t j = 0; j < e.columns.size(); ++j) order.push_back(j);
    return order;
  }
  std::map<std::string, std::size_t> places;
  for (std::size_t j = 0; j < frame.columns.size(); ++j) places.emplace(frame.columns[j].name, j);
  for (const auto& column : e.columns) {
    const auto at = places.find(column.name);
    if (at == places.end())
      data::fail(frame.file, "the column " + data::shown(column.name) +
                                 " of the training data is missing here");
    order.push_back(at->second);
  }
  return order;
}

// One column of the encoding, with the column of the file that feeds it.
struct Feed {
  const Encoding::Column* column = nullptr;
  const Frame::Column* from = nullptr;
  std::size_t first = 0;             // coordinate
  std::vector<std::int32_t> levels;  // of the file's levels, those of training; -1 where unseen

  [[nodiscard]] bool missing(std::size_t i) const { return data::is_hole(*from, i); }
};

class Encoder {
 public:
  Encoder(const Encoding& e, const Frame& frame) : e_(e), frame_(frame) {
    const auto order = matched(e, frame);
    std::size_t coordinate = 0;
    for (std::size_t j = 0; j < order.size(); ++j) {
      Feed feed{&e.columns[j], &frame.columns[order[j]], coordinate, {}};
      check(feed, order[j]);
      match_levels(feed);
      coordinate += (feed.column->categorical ? feed.column->levels.size() : 1) +
                    (feed.column->indicator ? 1 : 0);
      feeds_.push_back(std::move(feed));
    }
    if (e.options.missing == Missing::error) data::refuse_holes(frame, order, true);
    if (e.options.missing == Missing::drop) {
      rows_ = data::whole_rows(frame, order);
    } else {
      rows_.resize(frame.rows);
      std::iota(rows_.begin(), rows_.end(), std::size_t{0});
    }
  }

  template <class T>
  Points dense() {
    std::vector<T> values(rows_.size() * e_.dimension);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      row(rows_[r], [&](std::size_t j, double v) { values[r * e_.dimension + j] = as<T>(v, j); });
    return Points::own(std::move(values), rows_.size(), e_.dimension);
  }

  template <class T>
  Points sparse() {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> indices;
    std::vector<T> values;
    for (const std::size_t i : rows_) {
      row(i, [&](std::size_t j, double v) {
        if (v == 0) return;
        indices.push_back(static_cast<std::int32_t>(j));
        values.push_back(as<T>(v, j));
      });
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
    return Points::own(std::move(offsets), std::move(indices), std::move(values), e_.dimension);
  }

  Points points() {
    const bool single = e_.options.scalar == Points::Scalar::float32;
    if (e_.sparse) return single ? sparse<float>() : sparse<double>();
    return single ? dense<float>() : dense<double>();
  }

  [[nodiscard]] const std::vector<std::size_t>& rows() const { return rows_; }

  EncodingReport report() const {
    EncodingReport report;
    report.filled = filled_;
    std::size_t next = 0;
    for (std::size_t i = 0; i < frame_.rows; ++i) {
      if (next < rows_.size() && rows_[next] == i) {
        ++next;
      } else {
        report.dropped.push_back(i);
      }
    }
    for (const auto& feed : feeds_) unseen_in(feed, report);
    return report;
  }

 private:
  // Calls put(coordinate, value), coordinates ascending, for all that may not be 0.
  template <class Put>
  void row(std::size_t i, const Put& put) {
    for (const auto& feed : feeds_) {
      const auto& column = *feed.column;
      const bool hole = feed.missing(i);
      if (hole) ++filled_;
      std::size_t width = 1;
      if (column.categorical) {
        width = column.levels.size();
        const std::int32_t level = hole
                                       ? (column.indicator ? -1 : column.fill_level)
                                       : feed.levels[static_cast<std::size_t>(feed.from->codes[i])];
        if (level >= 0) put(feed.first + static_cast<std::size_t>(level), 1);
      } else {
        const double v = hole ? column.fill : feed.from->numbers[i];
        put(feed.first, scaled(feed.first, v));
      }
      if (column.indicator && hole) put(feed.first + width, 1);
    }
  }

  template <class T>
  [[nodiscard]] T as(double v, std::size_t j) const {
    const T result = static_cast<T>(v);
    if (!std::isfinite(result))
      data::fail(frame_.file, "column " + data::coordinate_name(e_, j) + ": " +
                                  (std::isfinite(v) ? shortest(v) : "a number, once scaled,") +
                                  " is out of the range of a " +
                                  (sizeof(T) == sizeof(float) ? "float" : "double"));
    return result;
  }

  [[nodiscard]] double scaled(std::size_t j, double v) const {
    return e_.scales.empty() ? v : (v - e_.centers[j]) / e_.scales[j];
  }

  // A frame that was read by itself may have taken a column for something else.
  void check(const Feed& feed, std::size_t j) const {
    const bool all_missing = feed.from->missing == frame_.rows;
    if (feed.column->categorical || !feed.from->categorical || all_missing) return;
    data::fail(frame_.file,
               "column " +
                   data::shown(frame_.columns[j].name.empty() ? std::to_string(j + 1)
                                                              : frame_.columns[j].name) +
                   " holds text, as " + data::shown(feed.from->levels[0]) +
                   ", where the training data hold numbers");
  }

  void match_levels(Feed& feed) {
    if (!feed.column->categorical) return;
    if (!feed.from->categorical) {  // numbers that are categories
      auto& copy = converted_.emplace_back(*feed.from);
      copy.categorical = true;
      std::map<double, std::int32_t> codes;
      for (const double v : copy.numbers)
        if (!std::isnan(v)) codes.emplace(v, 0);
      for (auto& [value, code] : codes) {
        code = static_cast<std::int32_t>(copy.levels.size());
        copy.levels.push_back(shortest(value));
      }
      for (const double v : copy.numbers) copy.codes.push_back(std::isnan(v) ? -1 : codes.at(v));
      feed.from = &copy;
    }
    std::unordered_map<std::string_view, std::int32_t> known;
    for (std::size_t l = 0; l < feed.column->levels.size(); ++l)
      known.emplace(feed.column->levels[l], static_cast<std::int32_t>(l));
    for (const auto& level : feed.from->levels) {
      const auto at = known.find(level);
      feed.levels.push_back(at == known.end() ? -1 : at->second);
    }
  }

  void unseen_in(const Feed& feed, EncodingReport& report) const {
    std::vector<std::size_t> counts(feed.levels.size());
    if (!feed.column->categorical) return;
    for (const std::size_t i : rows_)
      if (!feed.missing(i)) ++counts[static_cast<std::size_t>(feed.from->codes[i])];
    for (std::size_t l = 0; l < counts.size(); ++l)
      if (feed.levels[l] < 0 && counts[l] > 0)
        report.unseen.push_back({feed.column->name, feed.from->levels[l], counts[l]});
  }

  const Encoding& e_;
  const Frame& frame_;
  std::vector<Feed> feeds_;
  std::deque<Frame::Column> converted_;
  std::vector<std::size_t> rows_;
  std::size_t filled_ = 0;
};

// Entries beyond the columns of training left out.
template <class T>
Points without_new_columns(const Points& points, const T* values, std::size_t columns,
                           std::size_t& ignored) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<T> kept;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (auto e = points.offsets()[i]; e < points.offsets()[i + 1]; ++e) {
      if (static_cast<std::size_t>(points.indices()[e]) >= columns) {
        ++ignored;
        continue;
      }
      indices.push_back(points.indices()[e]);
      kept.push_back(values[e]);
    }
    offsets.push_back(static_cast<std::int64_t>(kept.size()));
  }
  return Points::own(std::move(offsets), std::move(indices), std::move(kept), columns);
}

}  // namespace

Table data::encoded(const Encoding& encoding, const Frame& frame, EncodingReport* report) {
  if (encoding.columns.empty()) {  // the training data were numbers without names
    check_columns(encoding, frame, encoding.dimension);
    Encoding plain = encoding;
    plain.named = false;
    for (std::size_t j = 0; j < encoding.dimension; ++j) plain.columns.emplace_back();
    return data::encoded(plain, frame, report);
  }
  Encoder encoder(encoding, frame);
  Table table;
  table.points = encoder.points();
  table.names = encoding.names();
  table.sources = encoding.sources();
  if (table.sources == table.names) table.sources.clear();
  const bool all = encoder.rows().size() == frame.rows;
  table.labels = all ? frame.labels : frame.labels.select(encoder.rows());
  for (const std::size_t i : encoder.rows())
    if (!frame.weights.empty()) table.weights.push_back(frame.weights[i]);
  if (report != nullptr) *report = encoder.report();
  return table;
}

Table Encoding::apply(const Frame& frame, EncodingReport* report) const {
  Table table = data::encoded(*this, frame, report);
  if (table.rows() == 0) data::no_row_left(frame.file, true);
  return table;
}

Table Encoding::apply(const Table& table, EncodingReport* report) const {
  EncodingReport done;
  Table result = table;
  const bool plain =
      std::ranges::all_of(columns, [](const Column& c) { return !c.categorical && !c.indicator; });
  if (!plain)
    throw Error(
        "the training data had categories or missing values, in columns of text; these data are "
        "numbers from the start. Give them as text in columns, too");
  if (table.points.is_sparse()) {
    if (table.columns() <= dimension) {
      result.points = table.points.with_columns(dimension);
    } else if (!open) {
      result.points = table.points.scalar() == Points::Scalar::float32
                          ? without_new_columns(table.points, table.points.values<float>(),
                                                dimension, done.ignored)
                          : without_new_columns(table.points, table.points.values<double>(),
                                                dimension, done.ignored);
    }
  } else if (table.columns() != dimension) {
    throw Error(other_width(*this, table.columns(), dimension));
  }
  result.points = data::scaled(*this, result.points);
  if (report != nullptr) *report = std::move(done);
  return result;
}

}  // namespace mercer
