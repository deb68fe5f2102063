// Learning from more points than a Gram matrix has room for: the rule is a sum over a few of them,
// the centres c_1, …, c_m, and all n examples decide about its coefficients (Nyström).
//
//     f(x) = Σ_j α_j k(c_j, x),      w = Σ_j α_j φ(c_j)
//
// With K_nm the values between the points and the centres, K_mm those among the centres, and
// weights c_i of the rows (C their diagonal):
//     squared    min_α  Σ_i c_i (f(x_i) - y_i)²              + λ |w|²,     |w|² = αᵀ K_mm α
//                which is solved by (K_nmᵀ C K_nm + λ K_mm) α = K_nmᵀ C y
//     hinge      min_α,b  Σ_i c_i max(0, 1 - y_i (f(x_i) + b)) + λ |w|²,  y_i = ±1: the machine of
//                svm.hpp with C = 1/(2λ), to a stated gap between it and its dual
//     logistic   min_α  Σ_i c_i log(1 + exp(-y_i f(x_i)))    + λ |w|²,     y_i = ±1
// λ is the one of ridge regression (ridge.hpp): where all points are centres, the answer is the
// same.
//
// The system is solved by conjugate gradients, preconditioned by what the centres know of it
// (Falkon: Rudi, Carratino and Rosasco, 2017), or some times as many rows: with K_mm = L Lᵀ, S the
// centres or a sample of 4m to 32m rows, and D_s the number of points that row s stands for,
//     α = L⁻ᵀ A⁻ᵀ u,      A Aᵀ = L⁻¹ K_mS D K_Sm L⁻ᵀ + λ I,
// the system in u is near to the identity. A step is one pass over the data, in blocks of rows: the
// values of a strip are computed in floats and used for K v and for Kᵀ(…) before they leave the
// cache, or kept where gram.memory has room for them; beside that, memory is O(m² + block),
// whatever n is. The logistic loss takes Newton steps, each of them solved like that.
//
// Centres that are combinations of others, as far as floats can tell, add nothing and are left out.
//
//     Nystrom r = nystrom(rbf(0.5), x, y, {.centres = 500, .lambda = 0.1});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct NystromOptions {
  std::size_t centres = 2000;  // m; n where there are no more points
  enum class Choice {
    uniform,   // each point is equally likely
    leverage,  // by how much a point is not explained by others: approximate leverage scores
    kmeans,    // each far from those before it: the seeding of k-means++, by distances of φ
    given,     // by the user
  };
  Choice choice = Choice::uniform;
  Points given = {};
  enum class Loss { squared, logistic, hinge };
  Loss loss = Loss::squared;
  bool offset = false;  // of the hinge: b, which has no price
  // Absent: the least loss on a fifth of the points (5000 at most), which are held out, over powers
  // of ten, each started at the answer of the one before; then all points are used.
  std::optional<double> lambda = {};
  // Of the system in u, |residual| / |right-hand side|: the objective is above the least one by
  // about the square of it, beside what is explained; of the hinge, the gap between the primal
  // and the dual value, over the primal one.
  double tolerance = 1e-4;
  std::size_t iterations = 200;      // of conjugate gradients, at most; for each Newton step
  std::size_t newton_steps = 50;     // at most; of the hinge four times as many
  std::vector<double> weights = {};  // c_i; empty: 1 each
  std::uint64_t seed = 0;
  GramOptions gram = {};
  // After each iteration: how many passes over the data there were, and the residual (of Newton
  // steps: the gradient's size beside the first). False ends with what there is.
  std::function<bool(std::size_t passes, double residual)> observe = {};
};

struct Nystrom {
  Points centres;               // those that are used
  Matrix alpha;                 // a row for each, a column for each column of y
  std::vector<double> offsets;  // b of each column; 0 where there is none
  double lambda = 0;
  struct Tried {
    double lambda = 0;
    double held_out = 0;  // mean loss
  };
  std::vector<Tried> path;   // where λ was chosen
  std::size_t held_out = 0;  // points it was chosen by
  bool converged = false;
  bool interrupted = false;
  double residual = 0;         // as the tolerance has it, the worst column's
  std::size_t iterations = 0;  // of conjugate gradients, for the answer
  std::size_t passes = 0;      // over the data, in all
  std::size_t newton_steps = 0;
  // Of the hinge, in all: systems that were factored, and the rows that they were made of.
  std::size_t factors = 0;
  std::size_t factor_rows = 0;
  std::size_t left_out = 0;  // centres that were combinations of others
  double loss = 0;           // Σ_i c_i loss, without the price of w, over all columns
  // Of the hinge: ½|w|² + C Σ c ξ and its dual, over all columns.
  double primal = 0;
  double dual = 0;
  std::string message;  // one line
};

// Throws Error; EvaluationError, with the row, where the kernel has no value.
Nystrom nystrom(const Kernel& k, const Points& x, const Matrix& y,
                const NystromOptions& options = {});

// The features that such a rule is linear in: with K_mm = L Lᵀ,
//     φ(x) = L⁻¹ [k(c_1, x), …, k(c_m, x)],
// for which φ(x)·φ(z) is what the centres explain of k(x, z): all of it where x or z is one.
struct NystromFeatures {
  Kernel kernel = Kernel(0);
  Points centres;                 // those that are used
  std::vector<std::size_t> rows;  // that they were; empty where they were given
  std::size_t left_out = 0;       // centres that were combinations of others
  Matrix L;                       // lower triangular

  [[nodiscard]] std::size_t size() const { return L.rows; }
  // φ(x_1), …, φ(x_n), dense, in doubles; precision, threads and instructions are those of `gram`.
  [[nodiscard]] Points map(const Points& x, const GramOptions& gram = {}) const;
};

// By the centres, seed and gram of the options. Throws Error, EvaluationError.
NystromFeatures nystrom_features(const Kernel& k, const Points& x,
                                 const NystromOptions& options = {});

}  // namespace mercer
