// Is the training set linearly separable under φ?
//
// Points x_1 … x_n with signs y_i = ±1 are separable under φ if for some w and b
//
//     y_i (w·φ(x_i) + b) > 0   for all i
//
// (b = 0 without an offset). If not, by Gordan's theorem, there are weights that balance the two
// classes:
//
//     a_i >= 0,   Σ_{y_i=+1} a_i = Σ_{y_i=-1} a_i = 1,   Σ a_i y_i φ(x_i) = 0
//
// (without an offset: Σ a_i = 1 instead of the two sums), since then Σ a_i y_i (w·φ(x_i) + b) = 0
// for all w and b. Either answer is a certificate that anyone can check, and has been checked here:
// numbers of the table are taken as the decimals that they print as, and separator and weights are
// verified in rational arithmetic, or the separator in ball arithmetic where φ leaves the
// rationals.
//
// Both come from one problem, that of the nearest points of the two convex hulls in feature space:
// at a distance 2m > 0 they give the separator of the largest margin, m; at distance 0, the
// weights.
#pragma once

#include <cstdint>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct SeparableOptions {
  bool offset = true;   // b may be chosen; else it is 0
  double timeout = 60;  // seconds; then the answer is undecided
};

// f(x) = Σ weights[j] * functions[j](x) + offset, with y_i f(x_i) > 0 for all i.
struct Separator {
  std::vector<std::string> functions;  // the features; of a kernel, k(x_j, ·) for some rows j
  std::vector<std::size_t> rows;       // for a kernel: those rows, from 0
  std::vector<std::string> weights;    // decimals; for a kernel, alpha_j y_j
  std::string offset;
  std::string formula;        // f written out in the language, for a map; else empty
  double margin = 0;          // min y_i f(x_i) / |w|: the distance of the closest point
  double largest_margin = 0;  // no separator has a larger one (up to rounding)
  bool exact = false;         // checked in rational arithmetic, else in balls
};

struct Balance {
  std::vector<std::size_t> rows;     // from 0, those with a_i > 0
  std::vector<std::string> weights;  // a_i: rationals, "1/2"
};

struct Separability {
  enum class Kind { separable, not_separable, undecided };
  Kind kind = Kind::undecided;
  std::optional<Separator> separator;
  std::optional<Balance> balance;
  std::string reason;                 // for undecided: what is in the way
  std::optional<double> gap;          // for undecided: the distance of the hulls, as far as known
  std::vector<std::string> features;  // of a map: its coordinates as they were read
};

// Under the map φ written out, "[x1, x2, x1*x2]": each coordinate an expression in x alone, in the
// language of kernels; `x` stands for all coordinates of the point.
Separability separable(const Matrix& table, std::span<const int> y, std::string_view map,
                       const SeparableOptions& options = {});
// Under the φ behind a kernel. Throws Error where k is not positive semidefinite on these points.
Separability separable(const Matrix& table, std::span<const int> y, const Kernel& k,
                       const SeparableOptions& options = {});

// The smallest polynomial map under which the data become separable: the least degree, and of its
// monomials a set from which none can be left out.
struct SmallestMapOptions {
  bool offset = true;
  std::uint32_t max_degree = 6;
  double timeout = 60;
};

struct SmallestMap {
  enum class Kind {
    found,
    impossible,  // two equal points with different labels: rows `same`
    too_large,   // not separable up to max_degree
    undecided,   // of `degree` it could not be told
  };
  Kind kind = Kind::undecided;
  std::uint32_t degree = 0;       // for found, the least one; else the last one looked at
  std::size_t monomials = 0;      // how many there are up to that degree
  std::string map;                // "[x1, x1*x2]"
  bool fewest = false;            // it was shown that no smaller set of these monomials will do
  bool irreducible = false;       // it was shown that none can be left out
  Separability separability;      // under `map`; or of the last degree
  std::vector<std::size_t> same;  // two rows, from 0
};
SmallestMap smallest_map(const Matrix& table, std::span<const int> y,
                         const SmallestMapOptions& options = {});

}  // namespace mercer
