// Intervals hold what they stand for: against numbers that are wider than doubles.
#include "kernel/interval.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/random.hpp"

namespace mercer::algebra {
namespace {

bool holds(const Interval& i, long double v) {
  const auto low = static_cast<long double>(i.low);
  const auto high = static_cast<long double>(i.high);
  return (i.low_open ? low < v : low <= v) && (i.high_open ? v < high : v <= high);
}

TEST(Interval, HoldsANumberBetweenDoubles) {
  for (const char* text : {"1.00000000000000000001", "0.99999999999999999999", "3", "-2", "0.1",
                           "4503599627370497.5", "1e-400", "-1e-400", "1e400"}) {
    const Rational number = *Rational::from_decimal(text);
    const Interval i = around(number.to_double(), number);
    if (std::isfinite(i.low)) {
      EXPECT_TRUE(i.low_open ? Rational::exactly(i.low) < number
                             : Rational::exactly(i.low) <= number)
          << text;
    }
    if (std::isfinite(i.high)) {
      EXPECT_TRUE(i.high_open ? number < Rational::exactly(i.high)
                              : number <= Rational::exactly(i.high))
          << text;
    }
  }
  EXPECT_EQ(around(3, Rational(3)).low, 3);
  EXPECT_EQ(around(3, Rational(3)).high, 3);
}

TEST(Interval, HoldsProductsOfLargeWholeNumbers) {
  const double a = 0x1p51 + 1;
  const Interval square = exactly(a) * exactly(a);
  const Rational exact = Rational::exactly(a) * Rational::exactly(a);
  EXPECT_LE(Rational::exactly(square.low), exact);
  EXPECT_GE(Rational::exactly(square.high), exact);
  const Interval small = exactly(3) * exactly(-5);
  EXPECT_EQ(small.low, -15);
  EXPECT_EQ(small.high, -15);
}

TEST(Interval, HoldsFunctionsOfItsEnds) {
  struct Case {
    double (*f)(double);
    long double (*exact)(long double);
  };
  const std::array<Case, 4> cases{{{std::exp, std::exp},
                                   {std::tanh, std::tanh},
                                   {std::sinh, std::sinh},
                                   {std::atan, std::atan}}};
  Random random(1);
  for (const Case& c : cases)
    for (int i = 0; i < 2000; ++i) {
      const double at = i < 100 ? i : random.uniform(-40, 40);
      const Interval image = rising(exactly(at), c.f);
      EXPECT_TRUE(holds(image, c.exact(static_cast<long double>(at)))) << at;
    }
  EXPECT_EQ(rising(exactly(0), [](double v) { return std::exp(v); }).high, 1);
}

TEST(Interval, HoldsPowers) {
  Random random(2);
  for (const Rational& r : {Rational(1, 2), Rational(1, 3), Rational(2), Rational(3), Rational(-1),
                            Rational(-2, 7), Rational(5, 2), Rational(11, 3)}) {
    const long double exponent = static_cast<long double>(*r.numerator().to_int()) /
                                 static_cast<long double>(*r.denominator().to_int());
    for (int i = 0; i < 2000; ++i) {
      const double at = i < 100 ? i + 1 : std::exp(random.uniform(-150, 150));
      const Interval image = raised(exactly(at), r);
      const long double v = std::pow(static_cast<long double>(at), exponent);
      if (std::isfinite(static_cast<double>(v)) && v > 1e-300L) {
        EXPECT_TRUE(holds(image, v)) << at << " to " << r.text();
      }
    }
  }
  // Whole numbers stay exact where they are.
  EXPECT_EQ(raised({0, 4, false, false}, Rational(1, 2)).high, 2);
  EXPECT_EQ(raised({-3, 2, false, false}, Rational(3)).low, -27);
  EXPECT_GT(raised(exactly(0x1p2 + 0x1p-50), Rational(1, 2)).high, 2);
}

}  // namespace
}  // namespace mercer::algebra
