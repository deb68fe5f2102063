#include "proof/glimpse.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "kernel/evaluate.hpp"
#include "proof/candidates.hpp"

namespace mercer::proof {

Glimpse::Glimpse(const Domain& domain, std::uint32_t dimension) {
  constexpr std::size_t few = 9;
  for (const auto& p : simple_points(domain, dimension, few)) {
    std::vector<double> point;
    point.reserve(p.size());
    for (const auto& v : p) point.push_back(v.to_double());
    points_.push_back(std::move(point));
  }
}

bool Glimpse::refutes(const algebra::Expr& e, bool centred) const {
  const auto n = static_cast<Eigen::Index>(points_.size());
  Eigen::MatrixXd K(n, n);
  double size = 0;  // of what is added up: rounding is relative to that
  try {
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto& x = points_[static_cast<std::size_t>(i)];
        const auto& z = points_[static_cast<std::size_t>(j)];
        K(i, j) = algebra::evaluate(e, x, z);
        double terms = std::abs(e->value);
        for (std::size_t t = 0; t < e->weights.size(); ++t)
          terms += std::abs(e->weights[t] * algebra::evaluate(e->args[t], x, z));
        size = std::max({size, std::abs(K(i, j)), terms});
      }
  } catch (const Error&) {
    return false;
  }
  constexpr double clearly = 1e-9;
  if ((K - K.transpose()).cwiseAbs().maxCoeff() > clearly * size) return true;
  if (centred) {
    const Eigen::MatrixXd C = Eigen::MatrixXd::Identity(n, n) -
                              Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
    K = C * K * C;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(K, Eigen::EigenvaluesOnly);
  return solver.info() == Eigen::Success && solver.eigenvalues()(0) < -clearly * size;
}

}  // namespace mercer::proof
