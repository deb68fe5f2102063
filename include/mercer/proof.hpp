// Is it a kernel?
//
// k is a kernel on a set X if for all points x_1 … x_n of X the matrix K_ij = k(x_i, x_j) is
// symmetric and positive semidefinite: Σ a_i a_j K_ij >= 0 for all a (Mercer's condition in its
// finite form).
//
// prove() answers in one of three ways:
//   kernel        with a derivation: a tree of named rules, each leaf an axiom or a cited theorem;
//   not a kernel  with a witness: rational points and coefficients with Σ a_i a_j k(x_i, x_j) < 0,
//   or
//                 two points with k(x,z) != k(z,x), recomputed exactly or in ball arithmetic;
//   unknown       with what was tried. Never a guess.
#pragma once

#include <cstdint>
#include <mercer/domain.hpp>
#include <mercer/kernel.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct ProofOptions {
  Domain domain;                           // where x and z range over
  std::optional<std::uint32_t> dimension;  // none: every dimension in which the kernel makes sense
  double timeout = 10;                     // seconds; then the answer is unknown
};

// An expression, in the kernel language and for TeX.
struct Formula {
  std::string text;
  std::string latex;
};

// What a step uses beside its premises: the factor f(x), the weight c1…
struct Given {
  std::string name;
  Formula value;
};

// One step: the rule, what it concludes, and the steps that it rests on.
struct Derivation {
  std::string rule;   // name in rules()
  Formula subject;    // the expression that it is about
  std::string claim;  // "is a kernel", "is conditionally positive definite", …
  std::string note;   // in words
  std::vector<Given> with;
  std::vector<Derivation> premises;
};

struct Witness {
  std::uint32_t dimension = 1;
  std::vector<std::vector<std::string>> points;  // rationals as text
  std::vector<std::string> coefficients;         // empty for an asymmetry
  std::string value;                             // Σ a_i a_j k(x_i, x_j), exact or as a ball
  std::string bound;                             // an upper bound of it, below 0
  std::string value_xz;                          // for an asymmetry: k(x,z) and k(z,x)
  std::string value_zx;
  bool exact = false;  // computed in rational arithmetic
};

struct Verdict {
  enum class Kind { kernel, not_a_kernel, unknown };
  Kind kind = Kind::unknown;
  std::optional<Derivation> derivation;
  std::optional<Witness> witness;
  std::vector<std::string> tried;             // for unknown: in plain words
  std::optional<double> smallest_eigenvalue;  // the smallest found, for unknown
};

// Throws Error where k is undefined somewhere on the domain (naming such a point), or makes no
// sense in the dimension.
Verdict prove(const Kernel& k, const ProofOptions& options = {});

// The rules that derivations cite.
struct Rule {
  std::string name;
  std::string statement;
  std::string source;
};
const std::vector<Rule>& rules();

}  // namespace mercer
