#include "gram/centre.hpp"

#include <algorithm>
#include <span>

#include "base/parallel.hpp"
#include "gram/marks.hpp"
#include "gram/point_function.hpp"

namespace mercer::gram {

std::vector<double> means(const Points& points, unsigned threads) {
  const std::size_t n = points.rows();
  std::vector<double> total(points.columns());
  const auto add = [&](std::size_t begin, std::size_t end, std::vector<double>& to) {
    std::vector<double> point(points.is_sparse() ? 0 : to.size());
    for (std::size_t i = begin; i < end; ++i) {
      if (points.is_sparse()) {
        for_entries(points, i, [&](std::size_t j, double v) { to[j] += v; });
      } else {
        points.row(i, std::span(point));
        for (std::size_t j = 0; j < point.size(); ++j) to[j] += point[j];
      }
    }
  };
  // Parts of them have sums of their own, as many whatever the number of threads; of many columns
  // these would take more than they save.
  constexpr std::size_t part = 2048;
  constexpr std::size_t most_columns = 4096;
  if (n <= part || points.columns() > most_columns) {
    add(0, n, total);
  } else {
    std::vector<std::vector<double>> sums((n + part - 1) / part, total);
    parallel_for(sums.size(), threads, [&](std::size_t task) {
      add(task * part, std::min(n, (task + 1) * part), sums[task]);
    });
    for (const auto& sum : sums)
      for (std::size_t j = 0; j < sum.size(); ++j) total[j] += sum[j];
  }
  for (double& t : total) t /= static_cast<double>(std::max<std::size_t>(1, points.rows()));
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
