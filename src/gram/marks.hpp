// Which coordinates of points are not zero: products with the others need not be added. A tile
// looks at some points together, and only at coordinates where one of them is not zero; so points
// with the same zeros are best next to each other. No value depends on any of this: a product with
// 0 changes no sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mercer::gram {

class Marks {
 public:
  Marks() = default;
  // Of rows that follow each other; empty where so few numbers are zero that it would not pay.
  template <class T>
  Marks(const T* values, std::size_t rows, std::size_t length, unsigned threads);

  [[nodiscard]] bool empty() const { return keys_.empty(); }
  [[nodiscard]] std::size_t words() const { return words_; }
  // A bit for each coordinate of row i.
  [[nodiscard]] const std::uint64_t* row(std::size_t i) const { return bits_.data() + i * words_; }
  // These of them, in this order.
  [[nodiscard]] Marks select(std::span<const std::size_t> rows) const;
  // All rows, those with like zeros next to each other.
  [[nodiscard]] std::vector<std::size_t> order() const;
  // The share of coordinates that is looked at if rows come in that order, six together.
  [[nodiscard]] double looked_at(std::size_t length) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint16_t> keys_;  // of each row: bits of the columns that tell most about others
};

// For some points at a time, which coordinates to look at.
class CoordinateLists {
 public:
  // Of `together` rows at a time, the last one repeated up to `count`; in slices of so many
  // coordinates. Empty where nearly all coordinates are to be looked at anyway.
  void make(const Marks& marks, std::span<const std::size_t> rows, std::size_t count,
            std::size_t together, std::size_t length, std::size_t slice);
  void clear() { at_.clear(); }
  [[nodiscard]] bool empty() const { return at_.empty(); }
  [[nodiscard]] std::size_t size() const { return indices_.size(); }
  [[nodiscard]] const std::uint32_t* first() const { return indices_.data(); }

  // The numbers at these coordinates, those of a group next to each other: what tiles read is then
  // small, and in one piece.
  template <class T>
  void pack(const T* const* rows, std::vector<T>& to) const {
    to.resize(indices_.size() * together_);
    T* at = to.data();
    for (std::size_t g = 0; g < begins_.size() / (slices_ + 1); ++g) {
      const std::size_t end = begins_[(g + 1) * (slices_ + 1) - 1];
      for (std::size_t e = begins_[g * (slices_ + 1)]; e < end; ++e)
        for (std::size_t r = 0; r < together_; ++r) *at++ = rows[g * together_ + r][indices_[e]];
    }
  }

  // Of the group that begins at that row: where the list of each slice begins, and the last ends.
  [[nodiscard]] const std::uint32_t* const* of(std::size_t row) const {
    return at_.empty() ? nullptr : at_.data() + row / together_ * (slices_ + 1);
  }

 private:
  std::size_t together_ = 1;
  std::size_t slices_ = 1;
  std::vector<std::uint32_t> indices_;
  std::vector<std::size_t> begins_;
  std::vector<const std::uint32_t*> at_;
};

}  // namespace mercer::gram
