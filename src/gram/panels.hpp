// Vectors as the products of tiles want them (Engine::multiply): for each group of points a panel,
// with as many numbers for each column.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned.hpp"

namespace mercer::gram {

template <class T>
class PanelsOf {
 public:
  // Zeros; for `points` points in groups of `group`, a multiple of unit_columns.
  PanelsOf(std::size_t points, std::size_t width, std::size_t group)
      : width_(width), group_(group), values_((points + group - 1) / group * group * width) {
    clear();
  }
  // Of V, row by row.
  PanelsOf(const double* V, std::size_t points, std::size_t width, std::size_t group)
      : PanelsOf(points, width, group) {
    for (std::size_t j = 0; j < points; ++j)
      for (std::size_t c = 0; c < width; ++c) at(j)[c * group] = static_cast<T>(V[j * width + c]);
  }

  void clear() { std::fill_n(values_.data(), values_.size(), T(0)); }
  // The number of point j in the first column; those of the others are `apart` from each other.
  [[nodiscard]] T* at(std::size_t j) {
    return values_.data() + j / group_ * group_ * width_ + j % group_;
  }
  [[nodiscard]] const T* at(std::size_t j) const {
    return values_.data() + j / group_ * group_ * width_ + j % group_;
  }
  [[nodiscard]] std::size_t apart() const { return group_; }

  // to[(j - begin)*width + c] += what is here, for begin <= j < end.
  void add_to(std::size_t begin, std::size_t end, double* to) const {
    for (std::size_t j = begin; j < end; ++j)
      for (std::size_t c = 0; c < width_; ++c) *to++ += at(j)[c * group_];
  }

 private:
  std::size_t width_;
  std::size_t group_;
  Aligned<T> values_;
};

using Panels = PanelsOf<double>;

}  // namespace mercer::gram
