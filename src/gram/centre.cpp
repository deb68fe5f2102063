#include "gram/centre.hpp"

#include <algorithm>
#include <span>

#include "gram/marks.hpp"
#include "gram/point_function.hpp"

namespace mercer::gram {

std::vector<double> means(const Points& points) {
  // Of many rows some, here and there: points need to be seen from near by, not from their middle.
  constexpr std::size_t enough = 4096;
  const std::size_t step = points.rows() / enough + 1;
  std::vector<double> total(points.columns());
  std::vector<double> point(points.is_sparse() ? 0 : total.size());
  std::size_t rows = 0;
  for (std::size_t i = 0; i < points.rows(); i += step, ++rows) {
    if (points.is_sparse()) {
      for_entries(points, i, [&](std::size_t j, double v) { total[j] += v; });
    } else {
      points.row(i, std::span(point));
      for (std::size_t j = 0; j < point.size(); ++j) total[j] += point[j];
    }
  }
  for (double& t : total) t /= static_cast<double>(std::max<std::size_t>(1, rows));
  return total;
}

namespace {

// The number that stands most often in a column of some rows, among the first few of them: the
// smallest one of several.
double most_frequent(const std::vector<double>& rows, std::size_t columns, std::size_t j) {
  constexpr std::size_t few = 32;
  std::vector<double> some;
  for (std::size_t at = j; at < rows.size() && some.size() < few; at += columns)
    some.push_back(rows[at]);
  std::ranges::sort(some);
  double best = some.front();
  std::size_t most = 0;
  for (std::size_t begin = 0, i = 1; i <= some.size(); ++i) {
    if (i < some.size() && some[i] == some[begin]) continue;
    if (i - begin > most) {
      most = i - begin;
      best = some[begin];
    }
    begin = i;
  }
  return best;
}

}  // namespace

Frequent frequent(const Points& points, const std::vector<double>& means) {
  constexpr std::size_t enough = 512;
  constexpr std::size_t most_columns = 4096;
  constexpr double often = 0.1;
  const std::size_t d = points.columns();
  Frequent found{means};
  if (points.rows() == 0 || d > most_columns) return found;
  // Some rows here and there.
  const std::size_t step = points.rows() / enough + 1;
  const std::size_t n = (points.rows() + step - 1) / step;
  std::vector<double> rows(n * d);
  for (std::size_t i = 0; i < n; ++i) points.row(i * step, std::span(rows).subspan(i * d, d));
  for (std::size_t j = 0; j < d; ++j) {
    const double value = most_frequent(rows, d, j);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) count += rows[i * d + j] == value ? 1U : 0U;
    if (static_cast<double>(count) >= often * static_cast<double>(n)) found.centre[j] = value;
    for (std::size_t i = 0; i < n; ++i) rows[i * d + j] -= found.centre[j];
  }
  const Marks marks(rows.data(), n, d, 1);
  constexpr double noticeable = 0.8;  // points far from their mean lose more in rounding
  const double share = marks.empty() ? 1 : marks.looked_at(d);
  if (share < noticeable) found.looked_at = share;
  return found;
}

}  // namespace mercer::gram
