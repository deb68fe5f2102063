// Shared by the functions that build sums, products and powers.
#pragma once

#include "kernel/expr.hpp"

namespace mercer::algebra {

// What u^r asks of u to be defined, beyond what is known of u.
struct Need {
  bool nonnegative = false;
  bool nonzero = false;
  bool operator==(const Need&) const = default;
  friend Need operator|(Need a, Need b) {
    return {a.nonnegative || b.nonnegative, a.nonzero || b.nonzero};
  }
};
Need need_of(const Expr& base, const Rational& r);

// base^r with more asked of the base than base^r itself asks, as in (1/u)^-1 or sqrt(u)^2: a
// product of two powers that ask for it, always the same two. The exponent of the first:
Rational aside_exponent(const Need& asked);
Expr power_asking(const Expr& base, const Rational& r, const Need& asked);

// A sum as factor * rest, so that rest is the same for all multiples of it: coefficients that are
// whole numbers without a common divisor, the constant (or without one the first of them) above 0.
// So 2*x - 2*z is 2*(x - z), and 0.1*x.z + 1 is 0.1*(x.z + 10). Whole numbers are also exact when
// evaluated. Other expressions are 1 times themselves.
struct CommonFactor {
  Rational factor;
  Expr rest;
};
CommonFactor take_common(const Expr& e);

// What of an expression may be undefined, as a product; its value does not matter. 1 where it is
// defined everywhere.
Expr undefined_part(const Expr& e);

// k/(f(x) f(z)) with f(x)^2 = k(x,x) is normalize(k), also where f is 0: recognised among the
// factors of a product, which are replaced. True where that was done.
bool recognise_normalized(std::vector<Expr>& factors);

// (x_i - z_i)^2/(x_i + z_i) is 0 at x_i = z_i = 0, its limit on R+: recognised in the same way.
bool recognise_chi(std::vector<Expr>& factors);

}  // namespace mercer::algebra
