// Ridge regression: the squared loss with a price on |w|, solved.
//
//     min_w  Σ_i c_i (w·φ(x_i) - y_i)² + λ |w|²
//
// has w = Σ_i α_i φ(x_i) with (K + λ C⁻¹) α = y, C the diagonal of the weights c_i. How the system
// is solved is chosen by what fits and what is exact enough, and reported:
//     factor     K + λC⁻¹ = L Lᵀ in floats, where K fits into memory; then the solution is refined
//                with residuals from kernel values in doubles, until they are down to `tolerance`
//     double     the same in doubles, where floats do not get there, and for small K
//     gradients  conjugate gradients on products K·v, where K does not fit; preconditioned by the
//                part of K that a sample of the points explains (Nyström)
//     eigen      by eigenvalues, where K + λC⁻¹ is not positive definite: then k is no kernel on
//                these points, the function is still the stationary one, and `message` says so
//
// Leaving x_i out and predicting y_i has the error α_i / (K + λC⁻¹)⁻¹_ii: no model is trained
// again.
//
//     Ridge r = ridge(rbf(0.5), x, y, {.lambda = 0.1});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

struct RidgeOptions {
  double lambda = 1;  // > 0
  enum class Solver { automatic, single_factor, double_factor, gradients };
  Solver solver = Solver::automatic;
  double tolerance = 1e-9;                        // |residual| / |y|; of gradients at least 1e-6
  std::size_t iterations = 500;                   // of gradients, at most
  std::size_t landmarks = 0;                      // of the preconditioner; 0: by n and the memory
  bool leave_one_out = false;                     // its errors; needs a factor
  std::vector<double> weights = {};               // c_i; empty: 1 each
  std::uint64_t seed = 0;                         // of the sample
  std::size_t memory = std::size_t{1792} << 20U;  // bytes for the factor: floats up to n = 21,000
  GramOptions gram = {};
  // Called after each refinement or iteration with the relative residual; false ends with what
  // there is.
  std::function<bool(std::size_t iteration, double residual)> observe = {};
};

struct Ridge {
  Matrix alpha;        // a column for each column of y; explicit form: empty
  Matrix w;            // explicit form
  std::string solver;  // "float factor, refined", "double factor", "conjugate gradients", "eigen"
  bool converged = true;  // the residual is below the tolerance
  bool interrupted = false;
  double residual = 0;         // |y - (K + λC⁻¹)α| / |y|, the worst column's
  std::size_t iterations = 0;  // refinements, or of conjugate gradients
  bool positive_definite = true;
  std::optional<double> least_eigenvalue;  // of K, where it is not positive definite
  Matrix leave_one_out;                    // y_i - f(x_i) without x_i; empty if not asked for
  std::string message;                     // one line
};

// Throws Error.
Ridge ridge(const Kernel& k, const Points& x, const Matrix& y, const RidgeOptions& options = {});
// In features: (ΦᵀCΦ + λI) w = ΦᵀCy.
Ridge ridge(const Points& phi, const Matrix& y, const RidgeOptions& options = {});

// All λ from one eigen-decomposition of K.
struct RidgePath {
  struct Entry {
    double lambda = 0;
    double training = 0;       // mean squared error
    double leave_one_out = 0;  // mean squared error
    double freedom = 0;        // Σ λ_i / (λ_i + λ): the effective number of parameters
  };
  std::vector<Entry> entries;       // in the order of the λ given
  std::size_t best = 0;             // the least leave-one-out error
  Matrix alpha;                     // of the best
  std::vector<double> eigenvalues;  // of K (weighted), ascending
};
RidgePath ridge_path(const Kernel& k, const Points& x, const Matrix& y,
                     std::span<const double> lambdas, const RidgeOptions& options = {});

}  // namespace mercer
