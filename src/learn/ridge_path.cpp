#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/ridge.hpp>

#include "learn/ridge_system.hpp"
#include "learn/targets.hpp"
#include "numeric/eigen.hpp"

namespace mercer {

using numeric::How;
using numeric::Part;
using numeric::View;

// S K S = U diag(σ) Uᵀ once; then for each λ: β = U (σ+λ)⁻¹ Uᵀ S y, and the diagonal of the
// inverse, Σ_j U_ij² / (σ_j + λ).
RidgePath ridge_path(const Kernel& k, const Points& x, const Matrix& y,
                     std::span<const double> lambdas, const RidgeOptions& options) {
  if (lambdas.empty()) throw Error("a path of ridge regressions needs at least one lambda");
  for (const double lambda : lambdas) learn::check_lambda(lambda);
  const learn::RidgeSystem system(k, x, y, options);
  const std::size_t n = system.size();
  const std::size_t width = system.width();
  if (n > options.memory / (2 * sizeof(double)) / n)
    throw Error("the eigenvectors of K, " + std::to_string(n) + " by " + std::to_string(n) +
                ", do not fit into the memory allowed: use fewer points, or allow more");
  const How how{options.gram.threads, options.gram.instructions};
  auto square = system.matrix<double>(0, true);
  const numeric::Eigen e = numeric::eigen(square.data(), n, how);
  square = Aligned<double>();

  const View<double> U{e.vectors.data(), n, n, n, 1};
  Matrix projected = Matrix::zeros(n, width);
  numeric::multiply_add(U, View<double>{system.right().values.data(), n, width, width, 1}, 1.0,
                        projected.values.data(), width, Part::all, how);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += system.scale(i) * system.scale(i);

  RidgePath path;
  path.eigenvalues = e.values;
  double least = std::numeric_limits<double>::infinity();
  for (const double lambda : lambdas) {
    RidgePath::Entry entry{.lambda = lambda};
    Matrix scaled = projected;
    std::vector<double> inverse(n);
    for (std::size_t j = 0; j < n; ++j) {
      // Rounding may leave eigenvalues a little below 0.
      const double sigma = std::max(e.values[j], 0.0);
      entry.freedom += sigma / (sigma + lambda);
      for (std::size_t c = 0; c < width; ++c) scaled(j, c) /= sigma + lambda;
      const double* u = e.vectors.data() + j * n;
      for (std::size_t i = 0; i < n; ++i) inverse[i] += u[i] * u[i] / (sigma + lambda);
    }
    Matrix beta = Matrix::zeros(n, width);
    numeric::multiply_add(U.transposed(), View<double>{scaled.values.data(), n, width, width, 1},
                          1.0, beta.values.data(), width, Part::all, how);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < width; ++c) {
        // S y - S f = λβ
        const double residual = lambda * beta(i, c);
        const double left_out = beta(i, c) / inverse[i];
        entry.training += residual * residual / total;
        entry.leave_one_out += left_out * left_out / total;
      }
    if (entry.leave_one_out < least) {
      least = entry.leave_one_out;
      path.best = path.entries.size();
      path.alpha = system.alpha(std::move(beta));
    }
    path.entries.push_back(entry);
  }
  return path;
}

}  // namespace mercer
