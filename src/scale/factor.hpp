// The price of a rule, |w|² = αᵀ P α, as P = L Lᵀ: of centres P is K_mm, of features a diagonal.
#pragma once

#include <cstddef>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <vector>

#include "base/aligned.hpp"
#include "numeric/product.hpp"

namespace mercer::scale {

// L as floats, for those who have no other, or need no more.
struct FactorInFloats {
  static constexpr std::size_t together = 256;
  std::size_t size = 0;
  // Of L some columns at a time, from the diagonal down; or L is a diagonal, and these are 1/L.
  std::vector<std::vector<float>> columns = {};
  std::vector<float> inverse = {};

  // B ← L⁻¹ B, of so many columns.
  void lower(float* B, std::size_t count, const numeric::How& how) const;
};

class Factor {
 public:
  // Of the centres that are no combination of those before them: where what is left of k(c, c) is
  // not above `tolerance` times it. Throws Error where it is clearly negative: then k is no kernel.
  Factor(const Kernel& k, const Points& centres, double tolerance, const numeric::How& how);
  // L = diag(values).
  Factor(std::vector<double> values, const numeric::How& how);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::vector<std::size_t>& kept() const { return kept_; }
  // Of k(c, c) at least this share is left beside the centres before c: L⁻¹ enlarges what is off by
  // some 1/√ of it.
  [[nodiscard]] double least_left() const { return least_left_; }

  // B ← L⁻¹ B, B ← L⁻ᵀ B, of `size` rows; and L Lᵀ B.
  void lower(Matrix& B) const;
  void upper(Matrix& B) const;
  [[nodiscard]] Matrix product(const Matrix& B) const;

  [[nodiscard]] FactorInFloats in_floats() const;
  // L itself, of centres.
  [[nodiscard]] Matrix matrix() const;
  // The m × m buffer of L, whose entries above the diagonal are free for others; none where L is a
  // diagonal.
  [[nodiscard]] double* above() { return diagonal_.empty() ? L_.data() : nullptr; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

  // Of centres: S = √D L, some rows at a time, for sums SᵀS.
  void scaled_rows(std::size_t begin, std::size_t end, const std::vector<double>& D,
                   double* to) const;

 private:
  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::size_t> kept_;
  double least_left_ = 1;
  Aligned<double> L_;
  std::vector<double> diagonal_;
  numeric::How how_;
};

}  // namespace mercer::scale
