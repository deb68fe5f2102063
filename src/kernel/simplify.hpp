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

// A sum as factor * rest, where all its coefficients agree up to sign (2*x - 2*z is 2*(x - z));
// with the sign of the first, so that x - z and z - x share a form. Otherwise 1 (or the sign) times
// it.
struct CommonFactor {
  Rational factor;
  Expr rest;
};
CommonFactor take_common(const Expr& e, bool with_sign);

// k/(f(x) f(z)) with f(x)^2 = k(x,x) is normalize(k), also where f is 0: recognised among the
// factors of a product, which are replaced. True where that was done.
bool recognise_normalized(std::vector<Expr>& factors);

// (x_i - z_i)^2/(x_i + z_i) is 0 at x_i = z_i = 0, its limit on R+: recognised in the same way.
bool recognise_chi(std::vector<Expr>& factors);

}  // namespace mercer::algebra
