// Falkon's preconditioner: with P = L Lᵀ, the factor A of what a sample S of the rows, each of
// which stands for D_s of them, knows of the system,
//     A Aᵀ = L⁻¹ Kᵀ_S D K_S L⁻ᵀ + λI.
// Of centres the sample may be the centres themselves: then K_S L⁻ᵀ = L.
//
// Both factors are in one m × m buffer, L below its diagonal and Aᵀ above (triangle.hpp).
#pragma once

#include <cstddef>
#include <mercer/matrix.hpp>
#include <vector>

#include "scale/basis.hpp"
#include "scale/factor.hpp"
#include "scale/sample.hpp"
#include "scale/triangle.hpp"

namespace mercer::scale {

class Preconditioner {
 public:
  // `apart`: in memory of its own, where there are several of one factor.
  Preconditioner(Factor& factor, const numeric::How& how, bool apart = false);

  // A, with these weights instead of the sample's own. In floats where it is to bring conjugate
  // gradients near, and their rounding is far below λ; twice as fast.
  enum class In { doubles, floats };
  void prepare(const Sample& sample, const std::vector<double>& D, double lambda,
               In numbers = In::doubles);
  // What the sample knows is kept, in floats, for another λ.
  void keep_sums() { keeps_ = true; }
  // B ← A⁻¹ B, B ← A⁻ᵀ B.
  void lower(Matrix& B) const;
  void upper(Matrix& B) const;
  // L⁻¹ Kᵀ_S D y, of the last sum; empty where the sample has no y.
  [[nodiscard]] const Matrix& right() const { return right_; }
  // L⁻¹ Kᵀ_S D 1, of the last `prepare` in doubles.
  [[nodiscard]] const std::vector<double>& sums() const { return sums_; }

 private:
  void clear(const Sample& sample);
  // Sᵀ S is added, S = √D K_S L⁻ᵀ. In floats: false, and half-done, where that is not exact enough.
  void add_doubles(const Sample& sample, const std::vector<double>& D);
  bool add_floats(const Sample& sample, const std::vector<double>& D, double lambda);
  // The factor of what there is, and λ. False where it has none.
  bool factor(double lambda);
  void keep(const Sample& sample, const std::vector<double>& D);
  bool recall(const Sample& sample, const std::vector<double>& D, double lambda);

  const Factor& factor_;
  numeric::How how_;
  std::size_t m_;
  Triangle t_;
  std::vector<double> sums_;
  Matrix right_;
  bool keeps_ = false;
  struct Kept {
    const Sample* sample = nullptr;
    std::vector<double> D;
    std::vector<float> values;
  } kept_;
};

}  // namespace mercer::scale
