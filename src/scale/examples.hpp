// The examples that a rank has: points, and what is to be learned of each, without a matrix of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/points.hpp>
#include <span>
#include <vector>

namespace mercer::scale {

struct Examples {
  Points points;
  std::size_t first = 0;    // the number of the first row among those of all ranks
  std::size_t all = 0;      // rows of all ranks
  std::size_t columns = 1;  // of y
  // The first rows of further files, counted from the first row here: blocks begin anew there, so
  // that it does not matter which ranks have which files.
  std::vector<std::size_t> files = {};
  // Either the numbers y, row by row, or the class of each row: +1 in the column of its class and
  // -1 elsewhere, or in one column +1 for class 1 and -1 for class 0.
  std::span<const double> numbers = {};
  std::span<const std::int32_t> codes = {};
  std::span<const double> weights = {};    // empty: 1 each
  std::vector<double> class_weights = {};  // empty: 1 each
  // Rows that are mapped: those that were looked at may leave the memory.
  std::function<void()> forget = {};

  [[nodiscard]] std::size_t rows() const { return points.rows(); }
  [[nodiscard]] double y(std::size_t i, std::size_t c) const {
    if (codes.empty()) return numbers[i * columns + c];
    const auto code = static_cast<std::size_t>(codes[i]);
    return (columns == 1 ? code == 1 : code == c) ? 1.0 : -1.0;
  }
  [[nodiscard]] double weight(std::size_t i) const {
    const double w = weights.empty() ? 1.0 : weights[i];
    return class_weights.empty() ? w : w * class_weights[static_cast<std::size_t>(codes[i])];
  }
};

// Rows are computed with in blocks, whose borders do not depend on the number of ranks: so the same
// values are computed in the same way. Of n rows with so many numbers each:
std::size_t block_rows(std::size_t n, double numbers_per_row);
// The rows of a rank: whole blocks, as even as they are.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;
};
Share share_of(std::size_t n, std::size_t block, std::size_t rank, std::size_t ranks);

}  // namespace mercer::scale
