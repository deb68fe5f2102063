// A matrix of doubles, row by row: a small table of points where every number is looked at, a Gram
// matrix that is checked. Large data stay as Points.
#pragma once

#include <cstddef>
#include <mercer/points.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;      // row by row
  std::vector<std::string> names;  // of the columns; empty where there are none

  static Matrix zeros(std::size_t rows, std::size_t columns) {
    return {rows, columns, std::vector<double>(rows * columns), {}};
  }

  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * columns, columns);
  }
  double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
  double& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }

  [[nodiscard]] Points points() && { return Points::own(std::move(values), rows, columns); }
};

// The points with all their zeros.
Matrix dense(const Points& points);

}  // namespace mercer
