// The upper triangle of a symmetric m × m matrix in blocks of 256: what is right of the blocks on
// the diagonal in a buffer of m rows, which may be one whose lower half is somebody else's; the
// blocks on the diagonal beside it, m times 256 numbers. Like a pointer: through a constant one the
// numbers may be changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/aligned.hpp"

namespace mercer::scale {

class Triangle {
 public:
  static constexpr std::size_t width = 256;

  // In memory of its own, or above the diagonal of a buffer with `stride` numbers in a row.
  explicit Triangle(std::size_t m);
  Triangle(std::size_t m, double* buffer, std::size_t stride);

  [[nodiscard]] std::size_t size() const { return m_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t blocks() const { return (m_ + width - 1) / width; }
  [[nodiscard]] std::size_t block(std::size_t k) const { return std::min(width, m_ - k * width); }
  [[nodiscard]] std::size_t behind(std::size_t k) const {
    return m_ - std::min(m_, (k + 1) * width);
  }
  // Of the rows of block k: right of the diagonal block, behind(k) numbers each; and that block,
  // `width` numbers from row to row, of which the lower half counts.
  [[nodiscard]] double* right(std::size_t k) const {
    return buffer_ + k * width * stride_ + (k + 1) * width;
  }
  [[nodiscard]] double* corner(std::size_t k) const { return corners_.data() + k * width * width; }

  [[nodiscard]] double trace() const;
  void clear() const;
  // visit(numbers, count) for all that there is of block k, piece by piece.
  template <class Visit>
  void for_block(std::size_t k, const Visit& visit) const {
    visit(corner(k), width * width);
    if (behind(k) > 0)
      for (std::size_t i = 0; i < block(k); ++i) visit(right(k) + i * stride_, behind(k));
  }
  template <class Visit>
  void for_all(const Visit& visit) const {
    for (std::size_t k = 0; k < blocks(); ++k) for_block(k, visit);
  }

 private:
  std::size_t m_;
  std::size_t stride_;
  mutable Aligned<double> own_;
  double* buffer_;
  mutable Aligned<double> corners_;
};

}  // namespace mercer::scale
