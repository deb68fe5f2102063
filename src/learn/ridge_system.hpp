// The system of ridge regression, A β = S y with A = S K S + λI, S the roots of the weights and
// α = S β: symmetric whatever the weights, also where some are 0.
#pragma once

#include <cstddef>
#include <functional>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <mercer/ridge.hpp>
#include <span>
#include <vector>

#include "base/aligned.hpp"

namespace mercer::learn {

class RidgeSystem {
 public:
  RidgeSystem(const Kernel& k, const Points& x, const Matrix& y, const RidgeOptions& options);

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] std::size_t width() const { return right_.columns; }
  [[nodiscard]] const Matrix& right() const { return right_; }  // S y
  [[nodiscard]] const RidgeOptions& options() const { return options_; }
  [[nodiscard]] double scale(std::size_t i) const { return scales_.empty() ? 1.0 : scales_[i]; }
  [[nodiscard]] std::span<const double> scales() const { return scales_; }

  // A Gram matrix of that precision, nothing kept.
  [[nodiscard]] Gram gram(GramOptions::Precision precision) const;
  // A, or with lambda = 0 S K S: what is on and below the diagonal, or all of it.
  template <class T>
  [[nodiscard]] Aligned<T> matrix(double lambda, bool all = false) const;
  // to = A v.
  void apply(const Gram& K, std::span<const double> v, std::span<double> to) const;

  // |S y - A β| / |S y|, of the worst column; r becomes S y - A β.
  double residual(const Gram& K, const Matrix& beta, Matrix& r) const;
  // α = S β.
  [[nodiscard]] Matrix alpha(Matrix beta) const;

 private:
  const Kernel& kernel_;
  const Points& x_;
  const RidgeOptions& options_;
  std::size_t n_;
  std::vector<double> scales_;
  Matrix right_;
};

// Conjugate gradients on A with a preconditioner, for all columns at once; goes on from `beta`.
// `solve` turns residuals into approximate solutions; it may be inexact (flexible: Notay, 2000).
struct Gradients {
  std::size_t iterations = 0;
  double residual = 0;
  bool interrupted = false;
  bool negative = false;  // a direction with vᵀAv <= 0: A is not positive definite
};
Gradients conjugate_gradients(
    const RidgeSystem& system, const Gram& K,
    const std::function<void(std::span<double> r, std::size_t width)>& solve, double tolerance,
    Matrix& beta);

}  // namespace mercer::learn
