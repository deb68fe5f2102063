// Falkon's preconditioner: with P = L Lᵀ, the factor A of what a sample S of the rows, each of
// which stands for D_s of them, knows of the system,
//     A Aᵀ = L⁻¹ Kᵀ_S D K_S L⁻ᵀ + λI.
// Of centres the sample may be the centres themselves: then K_S L⁻ᵀ = L.
//
// Both factors are in one m × m buffer, L below its diagonal and Aᵀ above; the blocks on the
// diagonal of A are kept beside it, m times 256 numbers.
#pragma once

#include <cstddef>
#include <mercer/matrix.hpp>
#include <vector>

#include "base/aligned.hpp"
#include "scale/basis.hpp"
#include "scale/factor.hpp"

namespace mercer::scale {

// Rows that stand for all. Their values are computed when they are needed, some rows at a time.
struct Sample {
  Points points = {};  // none: the centres
  const Basis* basis = nullptr;
  GramOptions gram = {};
  std::vector<double> D = {};  // how much weight each stands for

  [[nodiscard]] bool of_centres() const { return points.rows() == 0; }
};

class Preconditioner {
 public:
  // `apart`: in memory of its own, where there are several of one factor.
  Preconditioner(Factor& factor, const numeric::How& how, bool apart = false);

  // A, with these weights instead of the sample's own. In floats where it is to bring conjugate
  // gradients near, and their rounding is far below λ; twice as fast.
  enum class In { doubles, floats };
  void prepare(const Sample& sample, const std::vector<double>& D, double lambda,
               In numbers = In::doubles);
  // B ← A⁻¹ B, B ← A⁻ᵀ B.
  void lower(Matrix& B) const;
  void upper(Matrix& B) const;
  // L⁻¹ Kᵀ_S D 1, of the last `prepare` in doubles.
  [[nodiscard]] const std::vector<double>& sums() const { return sums_; }

 private:
  void clear();
  // Sᵀ S is added, S = √D K_S L⁻ᵀ. In floats: false, and half-done, where that is not exact enough.
  void add_doubles(const Sample& sample, const std::vector<double>& D);
  bool add_floats(const Sample& sample, const std::vector<double>& D, double lambda);
  // The factor of what there is, and λ. False where it has none.
  bool factor(double lambda);

  [[nodiscard]] std::size_t behind(std::size_t k) const;  // columns right of the diagonal block
  [[nodiscard]] double trace() const;
  [[nodiscard]] std::size_t block(std::size_t k) const;  // its rows
  [[nodiscard]] double* right(std::size_t k) const;      // Aᵀ right of the diagonal block
  [[nodiscard]] double* corner(std::size_t k) const;

  const Factor& factor_;
  numeric::How how_;
  std::size_t m_;
  std::size_t stride_;
  mutable Aligned<double> own_;  // where L is a diagonal, there is no buffer to share
  double* above_;
  mutable Aligned<double> corners_;
  std::vector<double> sums_;
};

}  // namespace mercer::scale
