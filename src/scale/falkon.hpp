// Falkon at rank 0: conjugate gradients on
//     A⁻¹ L⁻¹ (Kᵀ C K + λ P) L⁻ᵀ A⁻ᵀ u = A⁻¹ L⁻¹ Kᵀ C y,      α = L⁻ᵀ γ, γ = A⁻ᵀ u,
// with P = L Lᵀ and A Aᵀ = L⁻¹ Kᵀ_S D K_S L⁻ᵀ + λI from a sample S of the rows, each of which
// stands for D_s of them. Of centres the sample is the centres themselves, and K_S L⁻ᵀ = L.
#pragma once

#include <cstddef>
#include <functional>
#include <mercer/matrix.hpp>
#include <mercer/nystrom.hpp>
#include <optional>
#include <vector>

#include "scale/crew.hpp"
#include "scale/factor.hpp"

namespace mercer::scale {

// Rows that stand for all.
struct Sample {
  Matrix values;          // K_S; of centres empty
  std::vector<double> D;  // how much weight each stands for
};

class Falkon {
 public:
  Falkon(Crew& crew, const Factor& factor, const Sample& sample, const NystromOptions& options);

  // α of the price λ, from where the last one ended.
  void solve(double lambda, double tolerance);
  [[nodiscard]] Matrix alpha() const;
  // Other rows count now.
  void rows_changed() { at_zero_.reset(); }

  bool converged = false;
  bool interrupted = false;
  double residual = 0;
  std::size_t iterations = 0;
  std::size_t newton_steps = 0;
  double loss = 0;

 private:
  void squared(double lambda, double tolerance);
  void logistic(double lambda, double tolerance);

  // A of these weights of the sample.
  void prepare(const std::vector<double>& D, double lambda);
  void a_lower(Matrix& B) const;
  void a_upper(Matrix& B) const;
  [[nodiscard]] Matrix from_gamma(Matrix gamma) const;     // α
  [[nodiscard]] Matrix images(const Matrix& gamma) const;  // K_S α
  // γ += the solution of (L⁻¹ Kᵀ W K L⁻ᵀ + λ) γ = r, W by `product`; ends at |r| <= target, by
  // column, measured as A⁻¹ r.
  struct Ended {
    std::size_t iterations = 0;
    double residual = 0;  // the worst column's, of its target
    bool negative = false;
  };
  Ended gradients(Matrix r, double lambda, const std::vector<double>& targets, std::size_t most,
                  Matrix& gamma, const std::function<Matrix(const Matrix& alpha)>& product,
                  const std::function<bool(double)>& go_on);
  bool tell(double now);

  Crew& crew_;
  const Factor& factor_;
  const Sample& sample_;
  const NystromOptions& options_;
  numeric::How how_;
  std::size_t m_;
  std::size_t w_;
  Aligned<double> A_;
  Matrix gamma_;
  std::optional<Matrix> at_zero_;  // L⁻¹ Kᵀ C y
};

}  // namespace mercer::scale
