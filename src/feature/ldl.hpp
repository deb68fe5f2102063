// G = L D Lᵀ for a symmetric rational matrix, exactly, with pivoting.
//
// With m(x) a vector of functions, m(x)ᵀ G m(z) = Σ_j d_j l_j(x) l_j(z) with l_j(x) = Σ_i L_ij
// m_i(x): where all d_j are positive, √d_j l_j(x) is a feature map, and as short as any, since
// their number is the rank of G.
#pragma once

#include <optional>
#include <vector>

#include "base/rational.hpp"

namespace mercer::feature {

using Matrix = std::vector<std::vector<Rational>>;

struct Factor {
  Rational d;
  std::vector<Rational> column;  // of L
};

struct Factorization {
  std::vector<Factor> factors;
  bool semidefinite = false;  // else `negative` has the row at which it is seen
  std::size_t negative = 0;
};

// nullopt where the numbers grow beyond the bound of exact arithmetic.
std::optional<Factorization> factorized(Matrix G);

}  // namespace mercer::feature
