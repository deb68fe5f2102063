// Expressions as functions of one of their parts, and the Taylor coefficients of those.
#pragma once

#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

// Whether e sees the points through t alone: exp(t) - t does, x1*exp(t) does not.
bool is_function_of(const Expr& e, const Expr& t);

// The parts t of e (not e itself) of which it is a function and that look at both points; larger
// ones first.
std::vector<Expr> variables_of(const Expr& e);

// The factors of e, with those together that make up a power of t: x*z*exp(x*z) is t and exp(t).
std::vector<Expr> factors_in(const Expr& e, const Expr& t);

// n where e is t^n; constants are t^0 only by is_constant.
std::optional<std::uint64_t> exponent_of(const Expr& e, const Expr& t);

// The coefficients of t^0 … t^(n-1) of e around t = 0, as exact constants; nullopt where e is not
// such a function, or not smooth at 0.
std::optional<std::vector<Expr>> taylor(const Expr& e, const Expr& t, std::size_t n);

}  // namespace mercer::proof
