#include "picture/plane.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mercer/error.hpp>
#include <numeric>

#include "base/text.hpp"
#include "data/cell.hpp"
#include "data/place.hpp"
#include "numeric/eigen.hpp"

namespace mercer::picture {

namespace {

std::string name_of(const std::vector<std::string>& names, std::size_t j) {
  return j < names.size() && !names[j].empty() ? names[j] : "x" + std::to_string(j + 1);
}

std::string in_file(const Encoding& e, std::size_t j, double value) {
  if (!e.scales.empty()) {
    value = value * e.scales[j] + e.centers[j];
    if (std::abs(value) < 1e-12 * std::abs(e.centers[j])) value = 0;  // what scaling left of it
  }
  return fmt::format("{:.4g}", value);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::size_t find_column(const Encoding& encoding, const Table& table, const std::string& text) {
  const auto names = encoding.names();
  const std::size_t d = table.columns();
  for (std::size_t j = 0; j < d; ++j)
    if (name_of(names, j) == text) return j;
  for (const auto& c : encoding.columns)
    if (c.name == text && c.categorical)
      throw Error("column " + data::shown(text) +
                  " holds categories; a picture needs two columns of numbers, or of its " +
                  "coordinates, as " + text + "=" + (c.levels.empty() ? "…" : c.levels[0]));
  const auto number = data::number_in(text);
  if (number && *number >= 1 && *number <= static_cast<double>(d) && *number == std::floor(*number))
    return static_cast<std::size_t>(*number) - 1;
  std::vector<std::string> all;
  for (std::size_t j = 0; j < d; ++j) all.push_back(name_of(names, j));
  const std::vector<std::string_view> known(all.begin(), all.end());
  const std::string guess = nearest(text, known);
  throw Error("there is no column " + data::shown(text) + " among the " + std::to_string(d) +
              " of the model" + (guess.empty() ? "" : "; did you mean '" + guess + "'?"));
}

void set_axis(Axis& axis, const Encoding& encoding, const Table& table, std::size_t j) {
  double low = table.points(0, j);
  double high = low;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    low = std::min(low, table.points(i, j));
    high = std::max(high, table.points(i, j));
  }
  axis = axis_around(name_of(encoding.names(), j), low, high, 0.08);
  if (encoding.scales.empty()) return;
  axis.scale = encoding.scales[j];
  axis.center = encoding.centers[j];
}

// What is held: each number at its median, of each column of categories one.
void hold(Plane& plane, const Encoding& encoding, const Table& table, std::size_t a,
          std::size_t b) {
  const auto names = encoding.names();
  const auto sources = encoding.sources();
  std::map<std::string, const Encoding::Column*> categories;
  for (const auto& c : encoding.columns)
    if (c.categorical) categories[c.name] = &c;
  std::map<std::string, std::pair<std::size_t, double>> most;  // the coordinate with most ones
  const std::size_t d = table.columns();
  std::vector<double> column(table.rows());
  for (std::size_t j = 0; j < d; ++j) {
    if (j == a || j == b) continue;
    for (std::size_t i = 0; i < table.rows(); ++i) column[i] = table.points(i, j);
    const std::string source = j < sources.size() ? sources[j] : "";
    if (categories.contains(source)) {
      const double ones = std::accumulate(column.begin(), column.end(), 0.0);
      auto [at, fresh] = most.emplace(source, std::pair(j, ones));
      if (!fresh && ones > at->second.second) at->second = {j, ones};
      continue;
    }
    plane.origin[j] = median(column);
    plane.held.emplace_back(name_of(names, j), in_file(encoding, j, plane.origin[j]));
  }
  for (const auto& [source, at] : most) {
    const std::size_t j = at.first;
    plane.origin[j] = 1;
    const std::string name = name_of(names, j);
    plane.held.emplace_back(source,
                            name.starts_with(source + "=") ? name.substr(source.size() + 1) : name);
  }
}

}  // namespace

Spot Plane::of(std::span<const double> point) const {
  Spot s;
  for (std::size_t j = 0; j < point.size(); ++j) {
    s.x += (point[j] - origin[j]) * u[j];
    s.y += (point[j] - origin[j]) * v[j];
  }
  return s;
}

Plane plane_of_columns(const Encoding& encoding, const Table& table,
                       const std::vector<std::string>& columns) {
  if (columns.size() != 2)
    throw Error("a picture shows two columns, and " + std::to_string(columns.size()) +
                (columns.size() == 1 ? " is given" : " are given") + ": write --columns A,B");
  const std::size_t a = find_column(encoding, table, columns[0]);
  const std::size_t b = find_column(encoding, table, columns[1]);
  if (a == b) throw Error("the two columns of a picture are different ones");
  const std::size_t d = table.columns();
  Plane plane;
  plane.origin.assign(d, 0);
  plane.u.assign(d, 0);
  plane.v.assign(d, 0);
  plane.u[a] = 1;
  plane.v[b] = 1;
  set_axis(plane.x, encoding, table, a);
  set_axis(plane.y, encoding, table, b);
  hold(plane, encoding, table, a, b);
  if (plane.held.empty()) return plane;
  for (const auto& [name, value] : plane.held)
    plane.note += (plane.note.empty() ? "" : ", ") + name + " = " + value;
  const bool categories = std::ranges::any_of(encoding.columns, &Encoding::Column::categorical);
  plane.note =
      (categories ? "held at medians and most frequent categories: " : "held at medians: ") +
      plane.note;
  return plane;
}

Components components_of(const Points& points, std::size_t count) {
  constexpr std::size_t most_rows = 2000;
  constexpr std::size_t most_columns = 1000;
  constexpr double most_work = 4e9;
  const std::size_t d = points.columns();
  // Of very many columns fewer rows: the work is about n² d then.
  const auto affordable = static_cast<std::size_t>(std::sqrt(most_work / static_cast<double>(d)));
  const std::size_t n = std::min({points.rows(), most_rows, std::max<std::size_t>(affordable, 50)});
  Components result;
  result.mean.assign(d, 0);
  std::vector<double> x(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::span row(x.data() + i * d, d);
    points.row(i * points.rows() / n, row);
    for (std::size_t j = 0; j < d; ++j) result.mean[j] += row[j] / static_cast<double>(n);
  }
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      x[i * d + j] -= result.mean[j];
      total += x[i * d + j] * x[i * d + j];
    }
  // The smaller of XᵀX and XXᵀ: of an eigenvector w of the latter, Xᵀw is one of the former.
  const bool by_rows = d > n || d > most_columns;
  const std::size_t m = by_rows ? n : d;
  std::vector<double> A(m * m);
  if (by_rows) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = i; k < n; ++k)
        A[i * n + k] = std::inner_product(x.begin() + static_cast<std::ptrdiff_t>(i * d),
                                          x.begin() + static_cast<std::ptrdiff_t>(i * d + d),
                                          x.begin() + static_cast<std::ptrdiff_t>(k * d), 0.0);
  } else {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        const double v = x[i * d + j];
        if (v == 0) continue;
        for (std::size_t k = j; k < d; ++k) A[j * d + k] += v * x[i * d + k];
      }
  }
  const numeric::Eigen e = numeric::eigen(A.data(), m);
  for (std::size_t c = 0; c < std::min(count, m); ++c) {
    const std::size_t at = m - 1 - c;
    const double* w = e.vectors.data() + at * m;
    std::vector<double> direction(d);
    if (by_rows) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) direction[j] += w[i] * x[i * d + j];
    } else {
      direction.assign(w, w + d);
    }
    const double length =
        std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
    if (!(length > 0)) break;
    const double largest =
        *std::ranges::max_element(direction, {}, [](double v) { return std::abs(v); });
    for (double& v : direction) v /= largest < 0 ? -length : length;
    result.directions.push_back(std::move(direction));
    result.shares.push_back(total > 0 ? std::max(0.0, e.values[at]) / total : 0);
  }
  return result;
}

Plane plane_of_components(const Table& table) {
  Components c = components_of(table.points, 2);
  if (c.directions.size() < 2 || !(c.shares[1] > 0))
    throw Error(
        "the points lie on a line, or are one: a picture of a plane needs two columns that vary");
  Plane plane;
  plane.origin = std::move(c.mean);
  plane.u = std::move(c.directions[0]);
  plane.v = std::move(c.directions[1]);
  std::vector<double> row(table.columns());
  Spot low{1e300, 1e300};
  Spot high{-1e300, -1e300};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    table.points.row(i, std::span(row));
    const Spot s = plane.of(row);
    low = {std::min(low.x, s.x), std::min(low.y, s.y)};
    high = {std::max(high.x, s.x), std::max(high.y, s.y)};
  }
  const auto name = [&](const char* which, double share) {
    return fmt::format("{} principal component ({:.0f} % of the variance)", which, 100 * share);
  };
  plane.x = axis_around(name("first", c.shares[0]), low.x, high.x, 0.08);
  plane.y = axis_around(name("second", c.shares[1]), low.y, high.y, 0.08);
  plane.note = fmt::format(
      "the plane through the mean along two principal components of {} columns; points are "
      "projected onto it",
      table.columns());
  return plane;
}

Plane plane_of(const Encoding& encoding, const Table& table,
               const std::vector<std::string>& columns) {
  if (!columns.empty()) return plane_of_columns(encoding, table, columns);
  if (table.columns() == 2) return plane_of_columns(encoding, table, {"1", "2"});
  return plane_of_components(table);
}

}  // namespace mercer::picture
