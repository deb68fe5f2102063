// Support vector machines: the rule with the widest margin.
//
// Hard margin: of all w and b with y_i (w·φ(x_i) + b) >= 1 the one with the least |w|, whose margin
// is 1/|w|. Soft margin: examples may fall short of it by ξ_i, at a price,
//
//     min  ½|w|² + Σ_i C_i ξ_i   with  y_i (w·φ(x_i) + b) >= 1 - ξ_i,  ξ_i >= 0.
//
// The Lagrangian gives w = Σ_i α_i y_i φ(x_i), and the dual
//
//     max  Σ α_i - ½ Σ_ij α_i α_j y_i y_j k(x_i, x_j)   with  0 <= α_i <= C_i,  Σ α_i y_i = 0
//
// (the last one only where there is an offset b). Points with α_i > 0 are the support vectors: all
// others could be left out. It is solved to a stated violation of the optimality conditions, and
// the report has both values, primal and dual: their gap bounds the distance to the optimum. With a
// large C a rule that falls short by next to nothing is dear; a multiple of it that does not is an
// upper bound as good, and so the primal value is the least among its multiples.
//
//     Gram K(rbf(0.5), x);
//     Svm s = svm(K, y, {.C = 10});             // y: +1 and -1
//     s.coefficients[3]                          // α_3 y_3
//
// The same solver serves ν-classification, where ν bounds the share of margin errors from above
// and of support vectors from below; regression with a tube of width ε, within which errors are
// free, or with ν; and one class, told from the rest of the space (Schölkopf and others, 2000,
// 2001).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/gram.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer {

// How far it has come.
struct SvmProgress {
  std::size_t rounds = 0;
  std::size_t moves = 0;   // of two variables at a time
  double violation = 0;    // of the optimality conditions, the largest
  double dual = 0;         // its value, of what is being looked at
  std::size_t active = 0;  // variables that are looked at
};

struct SvmOptions {
  enum class Problem {
    classification,
    hard_margin,
    nu_classification,
    regression,
    nu_regression,
    one_class,
  };
  Problem problem = Problem::classification;
  double C = 1;             // the price of ξ; times the weight of the example
  double nu = 0.5;          // of the problems that are named so, and of one_class
  double epsilon = 0.1;     // of regression
  bool offset = true;       // b; only classification and hard_margin can do without
  double tolerance = 1e-3;  // of the violation; of ν-classification, where the margin is made 1
  std::vector<double> weights = {};  // of the examples; empty: 1 each. 0 leaves one out
  std::size_t moves = 0;             // at most; 0: any number
  double seconds = 0;                // at most, about; 0: any number
  std::size_t working_set = 0;       // variables at a time; 0: by the size of the problem
  bool shrinking = true;
  std::size_t memory = std::size_t{1} << 30U;  // bytes for kernel values that are kept
  unsigned threads = 0;
  std::string instructions = {};  // as in GramOptions
  // After each round; false ends with what there is.
  std::function<bool(const SvmProgress&)> observe = {};
};

struct Svm {
  enum class End {
    converged,
    moves,          // as many as allowed
    seconds,        // likewise
    interrupted,    // by `observe`
    stalled,        // rounding errors are larger than the tolerance, or no more progress
    not_separable,  // hard margin: see `message`, α is the certificate; ν: no margin above 0
  };
  End end = End::converged;
  std::vector<double> coefficients;  // β_i of k(x_i, ·): α_i y_i; in regression α_i - α_i*
  double offset = 0;                 // b
  std::vector<double> scores = {};   // f(x_i) + b; none of those with weight 0, which have NaN
  double violation = 0;              // of the optimality conditions, the largest
  double primal = 0;                 // for classes, the least among multiples of (w, b)
  double dual = 0;
  double norm = 0;               // |w|
  std::optional<double> margin;  // 1/|w| of classification
  std::optional<double> tube;    // ν-regression: the ε that came out
  std::size_t support = 0;       // β ≠ 0
  std::size_t bounded = 0;       // of them at their bound: |β| = C
  std::size_t rounds = 0;
  std::size_t moves = 0;
  std::string message;  // one line; empty where all is well

  // primal - dual, relative to the larger of them.
  [[nodiscard]] double gap() const;
};

// y: +1 or -1 for each point, a number in regression, nothing for one class. Where the values of K
// are floats, and too coarse for the tolerance with an α as large as it becomes, the rest is done
// with doubles. Throws Error.
Svm svm(const Gram& K, std::span<const double> y, const SvmOptions& options = {});

}  // namespace mercer
