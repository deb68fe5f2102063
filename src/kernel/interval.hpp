// Intervals of reals with open or closed ends, rounded outwards.
#pragma once

#include <functional>
#include <limits>

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
// A number of that sign (-1, 0, 1) within half an ulp of the value; it may have underflowed to 0 or
// overflowed.
Interval around(double value, int sign);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
Interval operator*(const Interval& a, const Interval& b);
Interval hull(const Interval& a, const Interval& b);

// The image under a function that rises (or falls, on `falling`) throughout and is accurate to an
// ulp or two.
Interval rising(const Interval& a, const std::function<double(double)>& f);
Interval magnitude(const Interval& a);  // |a|

}  // namespace mercer::algebra
