// Exact numbers: laws of arithmetic, and doubles in and out to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mercer/error.hpp>
#include <string>
#include <vector>

#include "base/integer.hpp"
#include "base/rational.hpp"
#include "support/random.hpp"

namespace {

using mercer::Integer;
using mercer::ratio;
using mercer::Rational;

Rational random_rational(Random& random) {
  const auto whole = [&] { return static_cast<std::int64_t>(random.below(2001)) - 1000; };
  switch (random.below(3)) {
    case 0:
      return whole();
    case 1:
      return ratio(whole(), 1 + static_cast<std::int64_t>(random.below(999)));
    default: {
      Integer big = random.bits();
      big = big * random.bits() - random.bits();
      return ratio(big, Integer(1) + random.bits());
    }
  }
}

double random_double(Random& random) {
  for (;;) {
    const std::uint64_t bits = random.bits();
    double v = 0;
    std::memcpy(&v, &bits, sizeof v);
    if (std::isfinite(v)) return v;
  }
}

TEST(Rational, IsInLowestTerms) {
  EXPECT_EQ(ratio(6, 8), ratio(3, 4));
  EXPECT_EQ(ratio(3, -4), ratio(-3, 4));
  EXPECT_EQ(ratio(0, -7), Rational(0));
  EXPECT_EQ(ratio(6, 8).denominator(), Rational(4));
  EXPECT_THROW(ratio(1, 0), mercer::Error);
}

// Numbers that fit in 64 bits are kept apart from wider ones: no operation may show the seam.
TEST(Rational, WhereSixtyFourBitsEnd) {
  const Integer one = 1;
  std::vector<Integer> numbers;
  for (const unsigned bits : {31U, 32U, 62U, 63U, 64U, 126U})
    for (const int off : {-2, -1, 0, 1, 2})
      for (const int sign : {1, -1}) numbers.emplace_back(((one << bits) + off) * sign);
  for (const int n : {0, 1, -1, 6}) numbers.emplace_back(n);
  for (const auto& p : numbers)
    for (const auto& q : numbers) {
      const Rational a = mercer::rational(p);
      const Rational b = mercer::rational(q);
      EXPECT_EQ(a + b, mercer::rational(p + q));
      EXPECT_EQ(a - b, mercer::rational(p - q));
      EXPECT_EQ(a * b, mercer::rational(p * q));
      EXPECT_EQ(a < b, p < q);
      EXPECT_EQ(a == b, p == q);
      EXPECT_EQ(-a, mercer::rational(-p));
      EXPECT_EQ(a.sign(), p.sign());
      EXPECT_EQ(a.is_even(), p % 2 == 0);
      EXPECT_EQ(a.fraction_text(), p.str());
      if (q == 0) {
        EXPECT_THROW(a / b, mercer::Error);
        continue;
      }
      const Rational c = a / b;
      EXPECT_EQ(c, ratio(p, q));
      EXPECT_EQ(c * b, a);
      EXPECT_EQ(hash_value(c * b), hash_value(a));
      EXPECT_EQ(c + c, ratio(2 * p, q));
      EXPECT_EQ(c.is_integer(), p % q == 0);
      EXPECT_EQ(c.numerator() / c.denominator(), c);
      EXPECT_EQ(c<Rational(1), q> 0 ? p < q : p > q);
    }
}

TEST(Rational, IsAField) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Rational a = random_rational(random);
    const Rational b = random_rational(random);
    const Rational c = random_rational(random);
    EXPECT_EQ(a + b, b + a);
    EXPECT_EQ(a * b, b * a);
    EXPECT_EQ((a + b) + c, a + (b + c));
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(a * (b + c), a * b + a * c);
    EXPECT_EQ(a - b, a + -b);
    EXPECT_EQ(a - a, Rational(0));
    if (!b.is_zero()) {
      EXPECT_EQ(a / b * b, a);
      EXPECT_EQ((a / b).sign(), a.sign() * b.sign());
    }
    EXPECT_EQ(hash_value(a + b), hash_value(b + a));
  }
  EXPECT_THROW(Rational(1) / Rational(0), mercer::Error);
}

TEST(Rational, IsOrdered) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const Rational a = random_rational(random);
    const Rational b = random_rational(random);
    EXPECT_EQ(a < b, (a - b).sign() < 0);
    EXPECT_EQ(a == b, (a - b).is_zero());
    EXPECT_EQ(a <= b, !(b < a));
  }
}

TEST(Rational, Questions) {
  EXPECT_TRUE(Rational(4).is_even());
  EXPECT_TRUE(Rational(0).is_even());
  EXPECT_FALSE(Rational(-3).is_even());
  EXPECT_TRUE(Rational(-4).is_even());
  EXPECT_FALSE(ratio(4, 3).is_even());
  EXPECT_TRUE(ratio(4, 2).is_integer());
  EXPECT_EQ(Rational(-7).to_int(), -7);
  EXPECT_FALSE(ratio(1, 2).to_int());
  EXPECT_FALSE(ratio(Integer(1) << 64, 1).to_int());
  EXPECT_EQ(Rational(std::numeric_limits<std::int64_t>::min()).to_int(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(abs(ratio(-2, 3)), ratio(2, 3));
}

TEST(Rational, Powers) {
  EXPECT_EQ(power(ratio(2, 3), 3), ratio(8, 27));
  EXPECT_EQ(power(ratio(2, 3), -2), ratio(9, 4));
  EXPECT_EQ(power(Rational(0), 0), Rational(1));
  EXPECT_EQ(power(Rational(-1), 1'000'000'001), Rational(-1));
  EXPECT_EQ(power(Rational(1), std::numeric_limits<std::int64_t>::min()), Rational(1));
  EXPECT_EQ(power(Rational(0), 1'000'000'000'000), Rational(0));
  EXPECT_FALSE(power(Rational(2), 1'000'000));
  EXPECT_FALSE(power(ratio(1, 3), 1'000'000'000'000'000));
  EXPECT_THROW(static_cast<void>(power(Rational(0), -1)), mercer::Error);
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Rational a = random_rational(random);
    if (a.is_zero()) continue;
    EXPECT_EQ(*power(a, 5), a * a * a * a * a);
    EXPECT_EQ(*power(a, 3) * *power(a, -3), Rational(1));
  }
}

TEST(Rational, SquareRoots) {
  EXPECT_EQ(exact_sqrt(ratio(9, 16)), ratio(3, 4));
  EXPECT_EQ(exact_sqrt(Rational(0)), Rational(0));
  EXPECT_FALSE(exact_sqrt(Rational(2)));
  EXPECT_FALSE(exact_sqrt(Rational(-4)));
  EXPECT_FALSE(exact_sqrt(ratio(4, 3)));
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Rational a = random_rational(random);
    EXPECT_EQ(exact_sqrt(a * a), abs(a));
  }
}

TEST(Rational, BoundsItsSize) {
  Rational a = 3;
  EXPECT_THROW(for (int i = 0; i < 30; ++i) a = a * a, mercer::Error);
}

// ---- decimals

TEST(Rational, ReadsDecimals) {
  EXPECT_EQ(Rational::from_decimal("12"), Rational(12));
  EXPECT_EQ(Rational::from_decimal("-0.5"), ratio(-1, 2));
  EXPECT_EQ(Rational::from_decimal("1e-3"), ratio(1, 1000));
  EXPECT_EQ(Rational::from_decimal("1E+3"), Rational(1000));
  EXPECT_EQ(Rational::from_decimal(".5"), ratio(1, 2));
  EXPECT_EQ(Rational::from_decimal("2."), Rational(2));
  EXPECT_EQ(Rational::from_decimal("0.10"), ratio(1, 10));
  EXPECT_EQ(Rational::from_decimal("000"), Rational(0));
  EXPECT_EQ(Rational::from_decimal("0e999999999"), Rational(0));
  for (const char* text : {"", ".", "-", "e5", "1e", "1e+", "0x10", "1.2.3", " 1", "1 ", "inf",
                           "nan", "1,5", "--1", "1_000", "1e1.5"})
    EXPECT_FALSE(Rational::from_decimal(text)) << text;
  EXPECT_THROW(static_cast<void>(Rational::from_decimal("1e999999999")), mercer::Error);
  EXPECT_THROW(static_cast<void>(Rational::from_decimal("1e-99999999999999999999")), mercer::Error);
}

TEST(Rational, PrintsAndReadsBack) {
  EXPECT_EQ(ratio(1, 10).text(), "0.1");
  EXPECT_EQ(ratio(1, 3).text(), "1/3");
  EXPECT_EQ(ratio(-5, 2).text(), "-2.5");
  EXPECT_EQ(Rational(0).text(), "0");
  EXPECT_EQ(Rational(1000000).text(), "1000000");
  EXPECT_EQ(Rational::from_decimal("1e-30")->text(), "1e-30");
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const Rational a = random_rational(random);
    const std::string text = a.text();
    const auto bar = text.find('/');
    EXPECT_EQ(a.prints_as_fraction(), bar != std::string::npos) << text;
    const auto p = Rational::from_decimal(text.substr(0, bar));
    ASSERT_TRUE(p) << text;
    if (bar == std::string::npos) {
      EXPECT_EQ(*p, a) << text;
    } else {
      EXPECT_EQ(*p / *Rational::from_decimal(text.substr(bar + 1)), a) << text;
    }
  }
}

// ---- doubles

TEST(Rational, DoublesEnterAsTheirShortestDecimal) {
  EXPECT_EQ(Rational::from_double(0.1), ratio(1, 10));
  EXPECT_EQ(Rational::from_double(1e22).text(), "1e22");
  EXPECT_EQ(Rational::from_double(-0.0), Rational(0));
  EXPECT_EQ(Rational::from_double(1e-7), ratio(1, 10'000'000));
  EXPECT_THROW(static_cast<void>(Rational::from_double(std::nan(""))), mercer::Error);
  EXPECT_THROW(static_cast<void>(Rational::from_double(HUGE_VAL)), mercer::Error);
}

TEST(Rational, DoublesSurviveTheRoundTrip) {
  Random random(6);
  for (int i = 0; i < 20'000; ++i) {
    const double v = random_double(random);
    EXPECT_EQ(Rational::from_double(v).to_double(), v);
    EXPECT_EQ(Rational::exactly(v).to_double(), v);
  }
  for (const double v : {std::numeric_limits<double>::max(), std::numeric_limits<double>::min(),
                         std::numeric_limits<double>::denorm_min(), 1.0, -1.0, 0.0, 1 + 0x1p-52})
    EXPECT_EQ(Rational::exactly(v).to_double(), v);
}

TEST(Rational, ExactlyIsTheBinaryValue) {
  EXPECT_EQ(Rational::exactly(0.5), ratio(1, 2));
  EXPECT_NE(Rational::exactly(0.1), ratio(1, 10));
  EXPECT_EQ(Rational::exactly(0.1), ratio(Integer(3602879701896397), Integer(1) << 55));
}

// strtod of the same digits rounds correctly, also at the ends of the range.
TEST(Rational, DecimalsRoundLikeStrtod) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = random.one_in(2) ? "-" : "";
    const std::size_t digits = 1 + random.below(25);
    for (std::size_t j = 0; j < digits; ++j) text += static_cast<char>('0' + random.below(10));
    text += "e" + std::to_string(static_cast<int>(random.below(660)) - 345);
    EXPECT_EQ(Rational::from_decimal(text)->to_double(), std::strtod(text.c_str(), nullptr))
        << text;
  }
}

TEST(Rational, TiesGoToEven) {
  const Integer one = 1;
  const Rational half_way = ratio(Integer((one << 53) + 1), one << 53);  // 1 + 2^-53
  EXPECT_EQ(half_way.to_double(), 1.0);
  EXPECT_EQ(ratio(Integer((one << 53) + 3), one << 53).to_double(), 1 + 0x1p-51);
  EXPECT_EQ((half_way + ratio(one, one << 300)).to_double(), 1 + 0x1p-52);
  EXPECT_EQ((half_way - ratio(one, one << 300)).to_double(), 1.0);
}

TEST(Rational, SubnormalsAreRoundedOnce) {
  const Integer one = 1;
  EXPECT_EQ(ratio(one, one << 1074).to_double(), 0x1p-1074);
  EXPECT_EQ(ratio(one, one << 1075).to_double(), 0.0);  // half of the smallest: to even
  EXPECT_EQ(ratio(Integer(3), one << 1075).to_double(), 0x1p-1073);
  EXPECT_EQ((ratio(one, one << 1075) + ratio(one, one << 2000)).to_double(), 0x1p-1074);
  // 2^-1022 (1 - 2^-54) rounds up to the smallest normal number.
  EXPECT_EQ(ratio(Integer((one << 54) - 1), one << 1076).to_double(), 0x1p-1022);
  // Rounding to 53 bits first would make a tie of this one.
  const Rational tricky = ratio(Integer((one << 55) + (one << 2) - 1), one << (1074 + 3 + 50));
  const std::string digits = "5.0e-324";
  EXPECT_EQ(Rational::from_decimal(digits)->to_double(), std::strtod(digits.c_str(), nullptr));
  EXPECT_GE(tricky.to_double(), 0);
}

TEST(Rational, BeyondTheRangeIsInfinite) {
  const Integer one = 1;
  EXPECT_EQ(ratio(one << 1024, 1).to_double(), HUGE_VAL);
  EXPECT_EQ(ratio(-(one << 2000), 1).to_double(), -HUGE_VAL);
  EXPECT_EQ(ratio(one, one << 2000).to_double(), 0.0);
  const Integer largest = (one << 1024) - (one << 971);
  EXPECT_EQ(ratio(largest, 1).to_double(), std::numeric_limits<double>::max());
  EXPECT_EQ(ratio(largest + (one << 969), 1).to_double(), std::numeric_limits<double>::max());
  EXPECT_EQ(ratio(largest + (one << 970), 1).to_double(), HUGE_VAL);  // a tie, to even
}

}  // namespace
