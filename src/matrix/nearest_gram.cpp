#include "matrix/nearest_gram.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mercer::matrix {

namespace {

// θ at one y, with what its derivatives need.
class Dual {
 public:
  Dual(const Eigen::MatrixXd& G, const Eigen::VectorXd& d, Eigen::VectorXd at)
      : y(std::move(at)), eigen_(G + Eigen::MatrixXd(y.asDiagonal())) {
    const Eigen::VectorXd positive = values().cwiseMax(0);
    X = vectors() * positive.asDiagonal() * vectors().transpose();
    theta = 0.5 * positive.squaredNorm() - d.dot(y);
    gradient = X.diagonal() - d;
    first_positive_ = static_cast<Eigen::Index>(
        std::upper_bound(values().begin(), values().end(), 0.0) - values().begin());
  }

  // An element of the generalised second derivative, applied to h.
  [[nodiscard]] Eigen::VectorXd curvature(const Eigen::VectorXd& h) const {
    const auto& P = vectors();
    Eigen::MatrixXd M = P.transpose() * h.asDiagonal() * P;
    for (Eigen::Index j = 0; j < M.cols(); ++j)
      for (Eigen::Index i = 0; i < M.rows(); ++i) M(i, j) *= weight(i, j);
    return (P * M).cwiseProduct(P).rowwise().sum();
  }

  Eigen::VectorXd y;
  Eigen::MatrixXd X;
  Eigen::VectorXd gradient;
  double theta = 0;

 private:
  [[nodiscard]] const Eigen::VectorXd& values() const { return eigen_.eigenvalues(); }
  [[nodiscard]] const Eigen::MatrixXd& vectors() const { return eigen_.eigenvectors(); }
  [[nodiscard]] double weight(Eigen::Index i, Eigen::Index j) const {
    const bool a = i >= first_positive_;
    const bool b = j >= first_positive_;
    if (a == b) return a ? 1 : 0;
    const double up = values()(std::max(i, j));
    return up / (up - values()(std::min(i, j)));
  }

  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
  Eigen::Index first_positive_ = 0;
};

// Newton's direction by conjugate gradients, as accurate as the gradient deserves.
Eigen::VectorXd direction(const Dual& now) {
  constexpr int most = 300;
  constexpr double ridge = 1e-12;  // the second derivative may be singular away from the minimum
  const double goal = std::min(0.1, now.gradient.norm()) * now.gradient.norm();
  Eigen::VectorXd h = Eigen::VectorXd::Zero(now.y.size());
  Eigen::VectorXd rest = -now.gradient;
  Eigen::VectorXd step = rest;
  double square = rest.squaredNorm();
  for (int i = 0; i < most && std::sqrt(square) > goal; ++i) {
    const Eigen::VectorXd image = now.curvature(step) + ridge * step;
    const double bend = step.dot(image);
    if (!(bend > 0)) break;
    h += square / bend * step;
    rest -= square / bend * image;
    const double next = rest.squaredNorm();
    step = rest + next / square * step;
    square = next;
  }
  return h.dot(now.gradient) < 0 ? h : Eigen::VectorXd(-now.gradient);
}

// The first of full, half, quarter… steps that is an improvement.
std::optional<Dual> improved(const Eigen::MatrixXd& G, const Eigen::VectorXd& d, const Dual& now,
                             const Eigen::VectorXd& h) {
  constexpr int most = 40;
  constexpr double share = 1e-4;
  double length = 1;
  for (int i = 0; i < most; ++i, length /= 2) {
    Dual next(G, d, now.y + length * h);
    if (next.theta <= now.theta + share * length * h.dot(now.gradient) ||
        next.gradient.norm() < 0.5 * now.gradient.norm())
      return next;
  }
  return std::nullopt;
}

}  // namespace

NearestGram nearest_with_diagonal(const Eigen::MatrixXd& G, const Eigen::VectorXd& d) {
  constexpr int most_rounds = 100;
  constexpr double tolerance = 1e-12;  // where rounding lets it come to that
  constexpr double enough = 1e-9;
  const double size = std::max(G.norm(), d.norm());
  Dual now(G, d, d - G.diagonal());
  NearestGram result;
  while (now.gradient.norm() > tolerance * size && result.rounds < most_rounds) {
    ++result.rounds;
    auto next = improved(G, d, now, direction(now));
    if (!next) break;
    now = std::move(*next);
  }
  result.converged = now.gradient.norm() <= enough * size;
  result.X = now.X;
  return result;
}

}  // namespace mercer::matrix
