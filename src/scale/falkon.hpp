// Falkon at rank 0: conjugate gradients on
//     A⁻¹ L⁻¹ (Kᵀ C K + λ P) L⁻ᵀ A⁻ᵀ u = A⁻¹ L⁻¹ Kᵀ C y,      α = L⁻ᵀ γ, γ = A⁻ᵀ u,
// with P = L Lᵀ and A from a sample of the rows (precondition.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mercer/matrix.hpp>
#include <mercer/nystrom.hpp>
#include <optional>
#include <vector>

#include "scale/crew.hpp"
#include "scale/factor.hpp"
#include "scale/hinge.hpp"
#include "scale/precondition.hpp"

namespace mercer::scale {

class Falkon {
 public:
  Falkon(Crew& crew, Factor& factor, const Basis& basis, const Sample& sample,
         const NystromOptions& options);

  // α of the price λ, from where the last one ended.
  void solve(double lambda, double tolerance);
  // Of the hinge: the gap is measured by the loss at w = 0 from now on, or by the primal value,
  // which may be next to nothing. Enough to compare prices.
  bool rough = false;
  [[nodiscard]] Matrix alpha() const;
  // b of each column, which has no price; 0 where there is none.
  [[nodiscard]] const std::vector<double>& offsets() const { return b_; }
  // Other rows count now.
  void rows_changed() { known_.reset(); }

  bool converged = false;
  bool interrupted = false;
  double residual = 0;
  std::size_t iterations = 0;
  std::size_t newton_steps = 0;
  // Of the hinge, for all λ so far.
  std::size_t factors = 0;
  std::size_t factor_rows = 0;
  double loss = 0;
  // Of the hinge loss, for Σ c ξ + λ|w|².
  double primal = 0;
  double dual = 0;

 private:
  void hinge(double lambda, double tolerance);
  void squared(double lambda, double tolerance);
  void logistic(double lambda, double tolerance);

  // A of these weights of the sample.
  void prepare(const std::vector<double>& D, double lambda) {
    const bool floats = options_.gram.precision != GramOptions::Precision::float64;
    A_.prepare(sample_, D, lambda,
               floats ? Preconditioner::In::floats : Preconditioner::In::doubles);
  }
  void a_lower(Matrix& B) const { A_.lower(B); }
  void a_upper(Matrix& B) const { A_.upper(B); }
  [[nodiscard]] Matrix from_gamma(Matrix gamma) const;     // α
  [[nodiscard]] Matrix images(const Matrix& gamma) const;  // K_S α
  // γ += the solution of (L⁻¹ Kᵀ W K L⁻ᵀ + λ) γ = r, W by `product`; ends at |r| <= target, by
  // column, measured as A⁻¹ r.
  struct Ended {
    std::size_t iterations = 0;
    double residual = 0;  // the worst column's, of its target
    bool negative = false;
  };
  // Beside γ its image L⁻¹ Kᵀ W K L⁻ᵀ γ is kept up to date, where it is asked for.
  Ended gradients(Matrix r, double lambda, const std::vector<double>& targets, std::size_t most,
                  Matrix& gamma, Matrix* image,
                  const std::function<Matrix(const Matrix& alpha)>& product,
                  const std::function<bool(double)>& go_on);
  void begin(const Matrix& gamma);
  [[nodiscard]] Matrix sampled_answer() const;
  bool tell(double now);

  Crew& crew_;
  const Factor& factor_;
  const Sample& sample_;
  const NystromOptions& options_;
  numeric::How how_;
  std::size_t m_;
  std::size_t w_;
  Preconditioner A_;
  Matrix gamma_;
  std::vector<double> b_;
  std::unique_ptr<Hinge> hinge_;
  // What passes have said of the rows that count, for the squared loss: with these, no λ needs a
  // pass to begin or to end.
  struct Known {
    Matrix right;        // L⁻¹ Kᵀ C y
    Matrix image;        // L⁻¹ Kᵀ C K L⁻ᵀ γ
    double squares = 0;  // Σ c y²
  };
  std::optional<Known> known_;
};

}  // namespace mercer::scale
