#include "learn/lanczos.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace mercer::learn {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(std::span<double> to, double factor, std::span<const double> v) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * v[i];
}

}  // namespace

LargestEigenvalue largest_eigenvalue(std::size_t n, const Operator& A, std::size_t iterations,
                                     std::uint64_t seed) {
  LargestEigenvalue result;
  RandomNumbers random(seed);
  std::vector<std::vector<double>> basis(1, std::vector<double>(n));
  for (double& v : basis[0]) v = random.normal();
  const double length = std::sqrt(dot(basis[0], basis[0]));
  for (double& v : basis[0]) v /= length;
  std::vector<double> diagonal;
  std::vector<double> beside;
  for (std::size_t k = 0; k < std::min(n, iterations); ++k) {
    std::vector<double> next(n);
    A(basis[k], next);
    diagonal.push_back(dot(basis[k], next));
    // Against all earlier ones, twice: the basis stays orthogonal.
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& b : basis) add(next, -dot(b, next), b);
    const double rest = std::sqrt(dot(next, next));

    const auto size = static_cast<Eigen::Index>(k + 1);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> small;
    const Eigen::VectorXd off =
        Eigen::Map<const Eigen::VectorXd>(beside.data(), static_cast<Eigen::Index>(beside.size()));
    small.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), size), off);
    result.value = small.eigenvalues()(size - 1);
    result.error = rest * std::abs(small.eigenvectors()(size - 1, size - 1));
    if (rest <= 1e-14 * std::abs(result.value) || result.error < 1e-3 * std::abs(result.value))
      break;
    for (double& v : next) v /= rest;
    beside.push_back(rest);
    basis.push_back(std::move(next));
  }
  return result;
}

}  // namespace mercer::learn
