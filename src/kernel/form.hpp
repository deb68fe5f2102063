// What the form of an expression shows: questions asked of several properties.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// x[i] or z[i] of the reduction around it.
bool is_bound(const Expr& e, Side side);

// a x[i] + b z[i]: the vector a x + b z that a reduction over the coordinates runs through, in the
// order of the expression.
using LinearVector = std::vector<std::pair<Rational, Side>>;
std::optional<LinearVector> linear_vector(const Expr& e);

bool is_dot_product(const Expr& e);       // x·z over all or some columns, or x*z for numbers
bool is_squared_distance(const Expr& e);  // |x-z|² likewise

// A polynomial in one inner product: the powers of it that occur, ascending.
struct DotSeries {
  std::vector<std::uint64_t> powers;
  Columns columns;
  bool in_numbers = false;
};
std::optional<DotSeries> dot_series(const Expr& e);
// The coefficients, where it is one in x·z over all coordinates.
std::optional<std::map<std::uint64_t, Rational>> dot_polynomial(const Expr& e);

// A function of x·z only, of |x-z| only (over all columns).
bool is_function_of_dot(const Expr& e);
bool is_isotropic(const Expr& e);
bool is_stationary(const Expr& e);
bool is_symmetric(const Expr& e);

// A kernel on its natural domain by the simplest rules: sums, products, powers, exp of kernels, and
// the distances known to give one. Enough to see that parts do not cancel; not a proof system.
bool kernel_by_form(const Expr& e);
// The same on all of R: min(x, z) and χ² are kernels only where no coordinate is negative.
bool kernel_on_reals_by_form(const Expr& e);

// Whether it contains a reduction over all coordinates.
bool depends_on_dimension(const Expr& e);

}  // namespace mercer::algebra
