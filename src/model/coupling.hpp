// Probabilities of classes from those of pairs of classes.
//
// With r_ab an estimate of P(a | a or b), r_ba = 1 - r_ab, the classes get the p that minimises
//
//     Σ_{a≠b} (r_ba p_a - r_ab p_b)²   with p_a >= 0, Σ p_a = 1,
//
// the second method of Wu, Lin and Weng (2004). With Q_aa = Σ_{b≠a} r_ba² and Q_ab = -r_ba r_ab it
// is the p with Qp = (pᵀQp) 1: their iteration solves one of these equations after the other for
// its p_a, and divides by the sum each time. Like LIBSVM it begins with equal probabilities and
// ends where all of |(Qp)_a - pᵀQp| < 0.005/k, after max(100, k) rounds at most: with k > 2 classes
// that is short of the minimum, and another end would give other digits than LIBSVM's.
#pragma once

#include <cstddef>
#include <mercer/matrix.hpp>
#include <span>
#include <vector>

namespace mercer::model {

class Coupling {
 public:
  explicit Coupling(std::size_t classes);

  // `pairs`: r_ab of (0,1), (0,2), …, (1,2), …, kept away from 0 and 1 by 1e-7. p: one for each
  // class.
  void run(std::span<const double> pairs, std::span<double> p);

 private:
  void set_pairs(std::span<const double> pairs);
  // Sets Qp and returns pᵀQp.
  double multiply(std::span<const double> p);
  [[nodiscard]] bool solved(double pqp) const;

  Matrix r_;
  Matrix q_;
  std::vector<double> qp_;
};

}  // namespace mercer::model
