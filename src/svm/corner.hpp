// K among the points that were solved for lately, close together: the points that are asked for
// next are mostly among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

template <class T>
class Corner {
 public:
  explicit Corner(std::size_t points) : slot_of_(points, nobody) {}

  // Makes room for these points, which are numbers of columns in their rows; row(p) is the row of K
  // of point p. Others that are here stay as long as there is room.
  template <class Row>
  void hold(const std::vector<std::uint32_t>& points, const Row& row) {
    std::size_t missing = 0;
    for (const std::uint32_t p : points)
      if (slot_of_[p] == nobody) ++missing;
    if (missing == 0) return;
    if (points_.size() + missing > std::max(usual, points.size() + points.size() / 4)) clear();
    const std::size_t before = points_.size();
    for (const std::uint32_t p : points) {
      if (slot_of_[p] != nobody) continue;
      slot_of_[p] = static_cast<std::uint32_t>(points_.size());
      points_.push_back(p);
    }
    make_room();
    for (std::size_t i = before; i < points_.size(); ++i) {
      const T* from = row(points_[i]);
      T* to = values_.data() + i * stride_;
      for (std::size_t j = 0; j <= i; ++j) to[j] = from[points_[j]];
      for (std::size_t j = 0; j < i; ++j) values_[j * stride_ + i] = to[j];
    }
  }

  [[nodiscard]] std::size_t size() const { return points_.size(); }
  [[nodiscard]] std::uint32_t point(std::size_t slot) const { return points_[slot]; }
  [[nodiscard]] const T* row(std::size_t slot) const { return values_.data() + slot * stride_; }

 private:
  static constexpr std::size_t usual = 288;

  void clear() {
    for (const std::uint32_t p : points_) slot_of_[p] = nobody;
    points_.clear();
  }

  // Rows of an odd number of cache lines: columns are written, too.
  void make_room() {
    const std::size_t wanted = std::max(usual, points_.size());
    if (wanted <= capacity_) return;
    const std::size_t capacity = wanted + wanted / 4;
    const std::size_t stride =
        filled(capacity) / pass_step % 2 == 1 ? filled(capacity) : filled(capacity) + pass_step;
    Aligned<T> values(capacity * stride);
    std::fill_n(values.data(), values.size(), T(0));
    for (std::size_t i = 0; i < std::min(capacity_, points_.size()); ++i)
      std::copy_n(values_.data() + i * stride_, std::min(stride_, stride),
                  values.data() + i * stride);
    values_ = std::move(values);
    capacity_ = capacity;
    stride_ = stride;
  }

  std::vector<std::uint32_t> slot_of_;  // of each point
  std::vector<std::uint32_t> points_;   // of each slot
  std::size_t capacity_ = 0;
  std::size_t stride_ = 0;
  Aligned<T> values_;
};

}  // namespace mercer::support
