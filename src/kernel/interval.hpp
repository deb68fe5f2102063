// Intervals of reals with open or closed ends, rounded outwards.
#pragma once

#include <functional>
#include <limits>

#include "base/rational.hpp"

namespace mercer::algebra {

struct Interval {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double low = -infinity;
  double high = infinity;
  bool low_open = true;  // the end itself does not occur; infinite ends are open
  bool high_open = true;

  [[nodiscard]] bool positive() const { return low > 0 || (low == 0 && low_open); }
  [[nodiscard]] bool nonnegative() const { return low >= 0; }
  [[nodiscard]] bool negative() const { return high < 0 || (high == 0 && high_open); }
  [[nodiscard]] bool nonzero() const { return positive() || negative(); }
};

Interval exactly(double value);  // a number that is a double
// A number whose nearest double is that value; it may have underflowed to 0 or overflowed.
Interval around(double value, const Rational& number);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator*(const Interval& a, const Interval& b);
Interval hull(const Interval& a, const Interval& b);

// The image under a function that rises throughout and is accurate to an ulp or two; where it is a
// whole number at 0, 1, -1 or infinity, it is exactly that.
Interval rising(const Interval& a, const std::function<double(double)>& f);
// a^r for a >= 0, or for any where r is odd and positive.
Interval raised(const Interval& a, const Rational& r);
Interval magnitude(const Interval& a);  // |a|

}  // namespace mercer::algebra
