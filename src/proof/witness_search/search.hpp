// What every way of looking for a witness needs: values of the kernel in doubles, the smallest
// eigenvalue of a Gram matrix, and the way from points to a short certified witness.
#pragma once

#include <Eigen/Core>
#include <chrono>
#include <mercer/domain.hpp>
#include <mercer/proof.hpp>
#include <mercer/stop.hpp>
#include <optional>
#include <span>
#include <vector>

#include "proof/witness_search/certify.hpp"

namespace mercer::proof {

// Points and their Gram matrix, in doubles.
struct Sample {
  std::vector<Point> points;
  Eigen::MatrixXd K;
};

// The least eigenvalue of a Gram matrix scaled to a diagonal of ones, and the coefficients that
// belong to it, for the matrix as it was.
struct Least {
  double eigenvalue = 0;
  Eigen::VectorXd coefficients;
};

class Search {
 public:
  using Clock = std::chrono::steady_clock;

  Search(Expr e, Domain domain, std::uint32_t d, Clock::time_point deadline);

  [[nodiscard]] const Expr& kernel() const { return e_; }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] std::uint32_t dimension() const { return d_; }
  [[nodiscard]] bool stationary() const { return certify_.stationary(); }

  // k(x, z) in doubles; NaN where it has no finite value.
  double value(std::span<const double> x, std::span<const double> z);

  // The Gram matrix, without the points at which there are no values.
  Sample sample(const std::vector<Point>& points);
  void replace(Sample& sample, std::size_t i, Point p);  // may leave NaN

  // nullopt where the matrix has no positive diagonal.
  std::optional<Least> least(const Eigen::MatrixXd& K);

  // A witness on some of the points, short, where the smallest eigenvalue is negative beyond
  // rounding.
  std::optional<Witness> on(const std::vector<Point>& points);
  std::optional<Witness> on(Sample sample);
  // A witness with these points and coefficients, in order; the points are not moved. What doubles
  // see needs few bits; differences at small steps need many.
  std::optional<Witness> accept(Combination c, long most_bits = 256);

  // Work is counted and not timed, so that answers do not depend on the machine. A way of looking
  // is given an amount, in roughly nanoseconds.
  void allow(double work) {
    left_ = work;
    rounding_ = 0;
  }
  void spend(double work) { left_ -= work; }
  [[nodiscard]] bool over() const { return left_ < 0 || late(); }
  [[nodiscard]] bool late() const {
    Stop::check();
    return Clock::now() > deadline_;
  }

  [[nodiscard]] std::optional<double> smallest_eigenvalue() const { return smallest_; }

 private:
  std::optional<Witness> degenerate(const Sample& sample);

  Expr e_;
  Domain domain_;
  std::uint32_t d_;
  Clock::time_point deadline_;
  Certifier certify_;
  double cost_;          // of one value
  double left_ = 1e9;    // work
  double rounding_ = 0;  // eigenvalues this small turned out to be rounding
  std::optional<double> smallest_;
};

}  // namespace mercer::proof
