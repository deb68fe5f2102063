#include "kernel/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mercer::algebra {

namespace {

constexpr double infinity = Interval::infinity;

constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

// Rounding moves an end outwards, unless it is one of the values that come out exactly.
double down(double v) { return v == 0 || std::isinf(v) ? v : std::nextafter(v, -infinity); }
double up(double v) { return v == 0 || std::isinf(v) ? v : std::nextafter(v, infinity); }

// What overflowed is beyond the largest double, but not infinite.
Interval within_range(Interval i) {
  i.low = std::min(i.low, largest);
  i.high = std::max(i.high, -largest);
  return i;
}

// An end that was moved does not occur, but nothing is lost by calling it closed.
Interval rounded(double low, bool low_open, double high, bool high_open) {
  return within_range({down(low), up(high), low_open, high_open});
}

struct End {
  double value;
  bool open;
};

End times(End a, End b) {
  if (a.value == 0 || b.value == 0) {
    // 0 times anything is 0; it occurs if a zero end occurs.
    const bool occurs = (a.value == 0 && !a.open) || (b.value == 0 && !b.open);
    return {0, !occurs};
  }
  const double value = a.value * b.value;
  if (value == 0) return {std::copysign(smallest, value), a.open || b.open};  // underflow
  return {value, a.open || b.open};
}

bool is_whole(double v) { return v == std::floor(v) && std::abs(v) < 0x1p52; }

}  // namespace

Interval exactly(double value) { return {value, value, false, false}; }

Interval around(double value, const Rational& number) {
  if (value == 0 && number.sign() > 0) return {0, smallest, true, false};
  if (value == 0 && number.sign() < 0) return {-smallest, 0, false, true};
  // 1.00000000000000000001 is as near to 1 as to any double, and more than that.
  if (number.is_integer() && is_whole(value)) return exactly(value);
  return rounded(value, false, value, false);
}

Interval operator+(const Interval& a, const Interval& b) {
  const double low = a.low + b.low;
  const double high = a.high + b.high;
  const bool exact_low = is_whole(a.low) && is_whole(b.low);
  const bool exact_high = is_whole(a.high) && is_whole(b.high);
  return within_range({exact_low ? low : down(low), exact_high ? high : up(high),
                       a.low_open || b.low_open, a.high_open || b.high_open});
}

Interval operator-(const Interval& a) { return {-a.high, -a.low, a.high_open, a.low_open}; }

Interval operator*(const Interval& a, const Interval& b) {
  const std::array ends = {times({a.low, a.low_open}, {b.low, b.low_open}),
                           times({a.low, a.low_open}, {b.high, b.high_open}),
                           times({a.high, a.high_open}, {b.low, b.low_open}),
                           times({a.high, a.high_open}, {b.high, b.high_open})};
  End low = ends[0];
  End high = ends[0];
  for (const End& e : ends) {
    if (e.value < low.value || (e.value == low.value && !e.open)) low = e;
    if (e.value > high.value || (e.value == high.value && !e.open)) high = e;
  }
  // 0 inside of one of them makes 0 occur, which can only matter at an end of the product.
  const auto crosses = [](const Interval& i) { return i.low < 0 && i.high > 0; };
  if (crosses(a) || crosses(b)) {
    if (low.value == 0) low.open = false;
    if (high.value == 0) high.open = false;
  }
  const auto fits = [](double v) { return std::abs(v) < 0x1p53 || std::isinf(v); };
  const bool exact =
      fits(low.value) && fits(high.value) && (is_whole(a.low) || std::isinf(a.low)) &&
      (is_whole(b.low) || std::isinf(b.low)) && (is_whole(a.high) || std::isinf(a.high)) &&
      (is_whole(b.high) || std::isinf(b.high));
  if (exact) return {low.value, high.value, low.open, high.open};
  return rounded(low.value, low.open, high.value, high.open);
}

Interval hull(const Interval& a, const Interval& b) {
  Interval result;
  result.low = std::min(a.low, b.low);
  result.high = std::max(a.high, b.high);
  result.low_open = (a.low > result.low || a.low_open) && (b.low > result.low || b.low_open);
  result.high_open = (a.high < result.high || a.high_open) && (b.high < result.high || b.high_open);
  return result;
}

namespace {

// Of a function that rises, with the doubles that `low` and `high` make of its value at an end: no
// more, and no less than it.
template <class Low, class High>
Interval rising_between(const Interval& a, const std::function<double(double)>& f, const Low& low,
                        const High& high) {
  // f(0), f(1) and limits are exact zeros, others have underflowed.
  const auto underflowed = [](double v, double at) {
    return v == 0 && at != 0 && at != 1 && !std::isinf(at);
  };
  double least = f(a.low);
  double most = f(a.high);
  if (underflowed(least, a.low) && std::signbit(least)) least = -smallest;
  if (underflowed(most, a.high) && !std::signbit(most)) most = smallest;
  return within_range({low(least, a.low), high(most, a.high), a.low_open, a.high_open});
}

// v = at^r, exactly.
bool is_power(double v, double at, const Rational& r) {
  constexpr std::int64_t most = 64;
  const auto up = r.numerator().to_int();
  const auto down = r.denominator().to_int();
  if (!is_whole(v) || !is_whole(at) || v == 0 || at == 0) return v == 0 && at == 0;
  if (!up || !down || std::abs(*up) > most || *down > most) return std::abs(at) == 1;
  const auto left = power(Rational(static_cast<std::int64_t>(v)), *down);
  const auto right = power(Rational(static_cast<std::int64_t>(at)), *up);
  return left && right && *left == *right;
}

}  // namespace

Interval rising(const Interval& a, const std::function<double(double)>& f) {
  // Elsewhere a whole number may be a rounded one: tanh(20) is less than 1.
  const auto exact = [](double v, double at) {
    return is_whole(v) && (at == 0 || std::abs(at) == 1 || std::isinf(at));
  };
  return rising_between(
      a, f, [&](double v, double at) { return exact(v, at) ? v : down(down(v)); },
      [&](double v, double at) { return exact(v, at) ? v : up(up(v)); });
}

Interval raised(const Interval& a, const Rational& r) {
  // An exponent that is no double is a little off, and so is the logarithm of the power.
  const double exponent = r.to_double();
  const auto slack = [&](double v, double at) {
    constexpr double ulp = std::numeric_limits<double>::epsilon();
    if (r.is_integer() || at == 0 || std::isinf(at) || std::isinf(v)) return 0.0;
    return std::abs(exponent * std::log(std::abs(at)) * ulp * v);
  };
  const auto exact = [&](double v, double at) {
    return std::isinf(at) || std::isinf(v) || is_power(v, at, r);
  };
  const auto low = [&](double v, double at) {
    return exact(v, at) ? v : down(down(v - slack(v, at)));
  };
  const auto high = [&](double v, double at) {
    return exact(v, at) ? v : up(up(v + slack(v, at)));
  };
  if (r.sign() >= 0)
    return rising_between(
        a, [&](double v) { return std::pow(v, exponent); }, low, high);
  // It falls: what rises is its negative.
  const Interval falling = -rising_between(
      a, [&](double v) { return -std::pow(v, exponent); },
      [&](double v, double at) { return -high(-v, at); },
      [&](double v, double at) { return -low(-v, at); });
  return {falling.low == 0 ? 0 : falling.low, falling.high, a.high_open || std::isinf(a.high),
          a.low_open || std::isinf(falling.high)};
}

Interval magnitude(const Interval& a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return -a;
  const Interval b = -a;
  Interval result = hull(a, b);
  result.low = 0;
  result.low_open = false;
  return result;
}

}  // namespace mercer::algebra
