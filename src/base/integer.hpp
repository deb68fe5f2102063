// Integers of any size, and rationals taken apart into them.
//
// A header apart from rational.hpp because Boost's integers are slow to compile: most of the
// algebra adds and multiplies, and never looks inside.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "base/rational.hpp"

namespace mercer {

using Integer = boost::multiprecision::cpp_int;

struct Fraction {
  Integer up = 0;
  Integer down = 1;  // > 0, and without a common factor with `up`

  explicit Fraction(const Rational& value);
  Fraction(Integer above, Integer below);  // throws on a zero denominator

  // Throws where it is beyond the bound.
  [[nodiscard]] Rational rational() &&;
  // up/down, taken to be in lowest terms
  static Rational lowest(std::int64_t up, std::int64_t down);
};

inline Rational ratio(Integer up, Integer down) {
  return Fraction(std::move(up), std::move(down)).rational();
}
inline Rational rational(Integer n) { return ratio(std::move(n), 1); }

unsigned bits(const Integer& n);  // of |n|; 0 for 0

}  // namespace mercer
