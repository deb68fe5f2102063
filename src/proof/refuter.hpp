// The search for a witness: points and coefficients with Σ a_i a_j k(x_i, x_j) < 0.
//
// Candidates come from doubles and from structured guesses; what is returned has been recomputed in
// rational or ball arithmetic.
#pragma once

#include <chrono>
#include <mercer/domain.hpp>
#include <mercer/proof.hpp>
#include <optional>

#include "kernel/expr.hpp"
#include "proof/point_value.hpp"

namespace mercer::proof {

class Refuter {
 public:
  using Clock = std::chrono::steady_clock;

  // For points of dimension d.
  Refuter(Expr e, Domain domain, std::uint32_t d, Clock::time_point deadline);

  // Two points with k(x,z) != k(z,x).
  std::optional<Witness> asymmetry();
  // A few sets of simple points, in milliseconds.
  std::optional<Witness> glance();
  // One or two simple points; finite differences at small steps.
  std::optional<Witness> quick();
  // The matrix of coefficients of a polynomial has a negative direction.
  std::optional<Witness> polynomial();
  // Smallest eigenvalues of Gram matrices on grids and random sets.
  std::optional<Witness> thorough();

  [[nodiscard]] std::optional<double> smallest_eigenvalue() const { return smallest_; }

 private:
  [[nodiscard]] bool late() const { return Clock::now() > deadline_; }
  [[nodiscard]] std::optional<Witness> certify(const std::vector<Point>& points,
                                               const std::vector<Rational>& coefficients) const;
  std::optional<Witness> by_eigenvalue(const std::vector<Point>& points);
  std::optional<Witness> shrunk(std::vector<Point> points, std::vector<double> coefficients) const;

  Expr e_;
  Domain domain_;
  std::uint32_t d_;
  Clock::time_point deadline_;
  std::optional<double> smallest_;
};

}  // namespace mercer::proof
