// Rows of a table, in folds, for scores by cross-validation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
#include <vector>

namespace mercer::choose {

// Rows of a fold stand together, in them those of a class.
struct Sample {
  std::size_t wanted = 0;  // rows that were asked for
  Points points;
  std::vector<std::size_t> folds;  // where each begins, and the end
  std::vector<std::int32_t> codes;
  Matrix y;
  std::vector<double> weights;      // of rows and classes; empty: 1
  std::vector<double> row_weights;  // of rows, for measuring

  [[nodiscard]] std::size_t rows() const { return points.rows(); }
};

}  // namespace mercer::choose
