// Gradient descent on the squared loss, in the coefficients of the examples.
//
// The loss Σ_i (w·φ(x_i) - y_i)² has the gradient Σ_i γ_i φ(x_i), γ_i = 2 (f(x_i) - y_i). A step
// w ← w - s Σ_i γ_i φ(x_i) from w = 0 stays a combination w = Σ_i α_i φ(x_i), and is
//
//     α_i ← α_i - s γ_i.
//
// The part of the error along an eigenvector of K with eigenvalue λ shrinks by 1 - 2sλ in each
// step: the loss falls in every step if s < 1/λmax, and slowly along small λ.
//
// The preconditioner makes the large λ as small as the q-th one: P = I - Σ_{i<=q} (1 - λ_q/λ_i) e_i
// e_iᵀ with the eigenvectors e_i in feature space, estimated on a sample of the points, so that s
// may be λ1/λ_q times as large (EigenPro: Ma and Belkin, 2017, 2019).
//
//     GradientDescent g = gradient_descent(rbf(8), x, y, {.passes = 30, .eigenvectors = 300});
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

// How things stand after a pass over K: a step with all examples, or a mini-batch of each.
struct GradientPass {
  std::size_t pass = 0;  // from 1
  // Σ (f(x_i) - y_i)² over the examples, weighted; with mini-batches of each when its turn came.
  double loss = 0;
  std::optional<double> held_out;  // the mean of it over those held out
};

struct GradientDescentOptions {
  std::size_t passes = 200;         // over K, at most
  std::optional<double> step = {};  // s; absent: from λmax, see above
  double momentum = 0;              // in [0, 1): so much of the last step is taken again
  std::size_t batch = 0;  // examples per step; 0: all; with a preconditioner as many as pay
  // Ends when a pass lowers the loss by less than this share of it.
  double tolerance = 1e-6;
  // Early stopping: a share of the examples is held out, and the α with the least loss there wins;
  // ends after `patience` passes without a lesser one.
  double held_out = 0;
  std::size_t patience = 10;
  // The preconditioner: q, from so many points; 0: none.
  std::size_t eigenvectors = 0;
  std::size_t sample = 0;            // 0: as many as pay
  std::uint64_t seed = 0;            // of mini-batches, of what is held out, of the sample
  std::vector<double> weights = {};  // of the examples in the loss; empty: 1 each
  GramOptions gram = {};
  // Called after each pass; false ends the training with what there is.
  std::function<bool(const GradientPass&)> observe = {};
  // Called after each step with α, in explicit form with w: for those who want to watch.
  std::function<void(const Matrix& coefficients)> each_step = {};
};

struct GradientDescent {
  enum class End {
    converged,      // the loss hardly falls any more
    early_stopped,  // the loss on what was held out rises
    passes,         // as many as allowed
    interrupted,    // by `observe`
    diverged,       // the loss grew beyond all bounds: see `message`
  };
  End end = End::passes;
  std::vector<GradientPass> passes;
  Matrix alpha;             // the last, or the best with early stopping; explicit form: empty
  Matrix w;                 // explicit form: a row for each feature
  double initial_loss = 0;  // of α = 0
  double step = 0;          // s
  double lambda_max = 0;    // of K, weighted; with a preconditioner: of what is left of it
  std::size_t batch = 0;
  std::size_t eigenvectors = 0;
  std::string message;  // one line
};

// y: a row for each point, a column for each function that is learned. Throws Error.
GradientDescent gradient_descent(const Kernel& k, const Points& x, const Matrix& y,
                                 const GradientDescentOptions& options = {});
// In features φ(x_i), one row each: w ← w - s Σ γ_i φ(x_i). Without a preconditioner.
GradientDescent gradient_descent(const Points& phi, const Matrix& y,
                                 const GradientDescentOptions& options = {});

}  // namespace mercer
