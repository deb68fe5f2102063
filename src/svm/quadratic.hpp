// What every kind of support vector machine comes down to:
//
//     minimise  ½ βᵀKβ + cᵀβ   with  lower <= β <= upper  and, where there is an offset, the sum of
//     β in each group as it is at the start.
//
// β_i = α_i y_i of the lecture notes, so that the rule is f(x) = Σ β_i k(x_i, x). The gradient is
// F = Kβ + c; at the optimum no variable that may grow has a smaller F than one of its group that
// may shrink: the largest difference is the violation, and it is what the tolerance is about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/gram.hpp>
#include <string>
#include <vector>

#include "svm/machine.hpp"
#include "svm/state.hpp"

namespace mercer::support {

struct Quadratic {
  std::vector<std::size_t>
      place;                   // of each variable: the row of the Gram matrix that it belongs to
  std::vector<double> linear;  // c
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> start;        // empty: 0
  std::vector<std::uint8_t> group;  // 0 or 1; empty: 0
  bool keeps_sum = true;

  [[nodiscard]] std::size_t size() const { return place.size(); }
  void reserve(std::size_t variables) {
    place.reserve(variables);
    linear.reserve(variables);
    lower.reserve(variables);
    upper.reserve(variables);
    group.reserve(variables);
  }
};

struct Progress {
  std::size_t rounds = 0;
  std::size_t moves = 0;
  double violation = 0;
  double objective = 0;     // of the minimum above
  std::size_t active = 0;   // variables that are looked at
  double squared_norm = 0;  // βᵀKβ
  double size_of_beta = 0;  // Σ |β|
  bool in_double = false;   // kernel values are doubles
};

struct SolveOptions {
  double tolerance = 1e-3;
  // Of two groups: the rule will be divided by half the difference of their levels, and it is then
  // that the tolerance counts, where this makes it smaller.
  bool by_margin = false;
  std::size_t most_moves = 0;   // 0: any number
  std::size_t working_set = 0;  // variables at a time; 0: by the size of the problem
  bool shrinking = true;
  std::size_t memory = std::size_t{1} << 30U;  // bytes for rows of K that are kept
  unsigned threads = 0;
  std::string instructions;
  // After each round; false ends it.
  std::function<bool(const Progress&)> observe;
  Continuation continuation;
};

struct Solution {
  std::vector<double> beta;
  std::vector<double> F;
  bool converged = false;
  bool interrupted = false;
  bool stalled = false;    // rounding errors are larger than the tolerance, or no more progress
  bool in_double = false;  // kernel values were doubles in the end
  // Rows of K where k(x,x) - 2k(x,z) + k(z,z) < 0, or of one with k(x,x) < 0: with β free to grow
  // there, there is no least value.
  std::vector<std::size_t> descends_for_ever;
  bool coarse = false;  // … since kernel values are floats: to be gone on with in double
  double violation = 0;
  double objective = 0;
  std::size_t rounds = 0;
  std::size_t moves = 0;
  std::size_t rows = 0;  // of K computed
};

// Where floats turn out to be too coarse for the tolerance, which depends on how large β becomes,
// the rest is done in double. Throws Error where the state to go on from is none of this problem.
// `known` is K among the variables, which are its points then, in their order.
Solution solve(const Gram& K, const Quadratic& problem, const SolveOptions& options,
               const Known& known = {}, const Finer& finer = {});

// The least F of those that may grow and the largest of those that may shrink, in a group.
struct Extremes {
  double least = 0;
  double largest = 0;
  [[nodiscard]] double violation() const { return largest - least; }
};
Extremes extremes(const Quadratic& problem, const std::vector<double>& beta,
                  const std::vector<double>& F, std::uint8_t group = 0);

}  // namespace mercer::support
