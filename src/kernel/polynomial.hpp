// An expression as an exact polynomial in the coordinates of x and z, where it is one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// Powers of coordinates in ascending order of the coordinate: x1^2*x3 is {{1,2},{3,1}}.
using Monomial = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Σ coefficient * m(x) * n(z) over pairs of monomials, no coefficient 0.
using Polynomial = std::map<std::pair<Monomial, Monomial>, Rational>;

// Written out in dimension d; nullopt where it is not a polynomial with rational coefficients by
// form, or has more than `limit` terms.
std::optional<Polynomial> expand_polynomial(const Expr& e, std::uint32_t d, std::size_t limit);

// The rank of the matrix of coefficients: the least number of features f_j(x) g_j(z) that add up to
// the polynomial. nullopt where the matrix is too large for exact elimination.
std::optional<std::size_t> rank(const Polynomial& p);

}  // namespace mercer::algebra
