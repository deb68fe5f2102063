// A normal form beyond the canonical one: what equality is decided by where polynomials do not
// reach.
//
//   exp(a) exp(b) = exp(a + b)      cosh, sinh, tanh through exp      c^k = exp(k log c)
//   cos(u + v), sin(u + v) taken apart; cos(n u), sin(n u) through cos u and sin u; sin² = 1 - cos²
//   Π_i exp(a_i) = exp(Σ_i a_i)     normalize(k) as a quotient where k(x,x) > 0
//   min(a,b) = (a + b - |a - b|)/2  log(a b) = log a + log b where both are positive on the domain
// and products multiplied out, inside of functions as well. Every step holds at all points where
// the expression is defined.
#pragma once

#include <mercer/domain.hpp>
#include <optional>
#include <string>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

// For points of the domain; on the unit sphere, |x|² is 1 besides.
Expr normal_form(const Expr& e, const Domain& domain);

// e as up/down, with sums of quotients brought over one bar.
struct Quotient {
  Expr up;
  Expr down;
};
Quotient as_quotient(const Expr& e);

// Why a = b at all points where both are defined; nullopt where rewriting does not show it.
std::optional<std::string> equal_by_rewriting(const Expr& a, const Expr& b, const Domain& domain);

}  // namespace mercer::proof
