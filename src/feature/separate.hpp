// Functions of x and z taken apart: k(x,z) = Σ c f(x) g(z).
//
// Sums, products and whole powers are multiplied out; cos(u - v) = cos u cos v + sin u sin v and
// its kin, exp(u + v) = exp u exp v take functions of f(x) + g(z) apart. What depends on one point
// only is taken as it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kernel/expr.hpp"

namespace mercer::feature {

using algebra::Expr;

struct ExprLess {
  bool operator()(const Expr& a, const Expr& b) const { return algebra::compare(a, b) < 0; }
  bool operator()(const std::pair<Expr, Expr>& a, const std::pair<Expr, Expr>& b) const {
    const int c = algebra::compare(a.first, b.first);
    return c != 0 ? c < 0 : algebra::compare(a.second, b.second) < 0;
  }
};

// (f, g) -> c, for f(x) and g(z), both written as functions of x. c is constant and not 0.
using Separated = std::map<std::pair<Expr, Expr>, Expr, ExprLess>;

// In dimension d; nullopt where it is not of this kind by form, or has more than `limit` terms.
std::optional<Separated> separated(const Expr& e, std::uint32_t d, std::size_t limit);

// A function of x as Σ c f(x), multiplied out as far as it goes.
using Combination = std::map<Expr, Expr, ExprLess>;  // f -> c
std::optional<Combination> combination(const Expr& e, std::uint32_t d, std::size_t limit);

// Sums and products over coordinates of what is the same for each, in dimension d: sum(i, 1) is d.
Expr with_counts(const Expr& e, std::uint32_t d);

// sin(u)² as (1 - cos(2u))/2 for functions u of both points.
Expr with_double_angles(const Expr& e);

}  // namespace mercer::feature
