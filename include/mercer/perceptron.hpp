// The perceptron, through the kernel alone.
//
// In the feature space it keeps w, starts at w = 0, and on a mistake, y_i w·φ(x_i) <= 0, adds
// y_i φ(x_i). So w = Σ_j α_j y_j φ(x_j), where α_j counts the mistakes on example j, and all it
// ever needs is
//
//     f(x_i) = Σ_j α_j y_j k(x_j, x_i).
//
// Scores f(x_i) are kept and brought up to date by one row of the Gram matrix per mistake; rows are
// computed together, ahead of their use, and the mistakes are those of the plain algorithm, one for
// one. Where some w* with |w*| = 1 has y_i w*·φ(x_i) >= γ for all i, there are at most (R/γ)²
// mistakes in all passes together, R² = max k(x_i, x_i) (Novikoff, 1962). With distinct points and
// an rbf kernel there always is one, so it always ends.
//
//     Gram K(rbf(0.5), x);
//     Perceptron p = perceptron(K, y);          // y: n × 1 of +1 and -1
//     p.alpha(3, 0)                             // mistakes on x_3
//
// Several columns of y are several perceptrons, one per class, that share the rows.
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

// How a pass went.
struct PerceptronPass {
  std::size_t pass = 0;  // from 1
  std::size_t mistakes = 0;
  std::vector<std::size_t> mistakes_of;  // each column of y
  std::size_t support = 0;               // points with some α ≠ 0
};

struct PerceptronOptions {
  std::size_t passes = 100;  // at most; fewer where one is without a mistake
  enum class Order {
    cyclic,    // as the examples stand
    shuffled,  // anew in each pass
  };
  Order order = Order::cyclic;
  std::uint64_t seed = 0;  // of `shuffled` and of what a budget drops
  // y_i f(x_i) <= margin is a mistake, too.
  double margin = 0;
  // The mean of w over all visits instead of the last w: it depends less on what came last, and
  // mostly predicts better (Freund and Schapire, 1999).
  bool averaged = false;
  // Support points at most; 0: any number. One more drops one at random (Cavallanti, Cesa-Bianchi
  // and Gentile, 2007).
  std::size_t budget = 0;
  std::vector<double> weights = {};  // of the examples: a mistake counts so much; empty: 1 each
  unsigned threads = 0;              // 0: as many as the machine has; the answer is the same
  // Called after each pass; false ends the training with what there is.
  std::function<bool(const PerceptronPass&)> observe = {};
};

struct Perceptron {
  enum class End {
    converged,    // a pass without a mistake
    passes,       // as many as allowed
    interrupted,  // by `observe`
  };
  End end = End::passes;
  std::vector<PerceptronPass> passes;
  std::size_t updates = 0;  // in all passes: Σ α without weights, averages and budgets

  Matrix alpha;         // n × columns of y: the weighted number of mistakes
  Matrix coefficients;  // of k(x_i, ·) in the score: α y, or its mean over the visits
  Matrix w;             // explicit form: a row for each feature, instead

  double radius = 0;  // R
  // Of each column: the least y_i f(x_i) / |w| of the last w, and where it is positive the bound
  // (R/γ)² on the mistakes that it proves.
  std::vector<double> margins;
  std::vector<std::optional<double>> bounds;
  std::string message;  // one line
};

// y has a row for each point, +1 or -1 in each column. Throws Error where they do not fit.
Perceptron perceptron(const Gram& K, const Matrix& y, const PerceptronOptions& options = {});
// The same in features φ(x_i), one row each: w is kept instead of α.
Perceptron perceptron(const Points& phi, const Matrix& y, const PerceptronOptions& options = {});

}  // namespace mercer
