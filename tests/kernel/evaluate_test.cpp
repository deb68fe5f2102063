// k(x, z) in doubles: accurate, and an error that says why where there is no value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace {

using mercer::Kernel;
using Point = std::vector<double>;

double at(const std::string& text, const Point& x, const Point& z) {
  return Kernel::parse(text)(x, z);
}

double at(const std::string& text, double x) { return at(text, Point{x}, Point{x}); }

void expect_relative(double got, long double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(got, static_cast<double>(expected),
              std::abs(static_cast<double>(expected)) * tolerance)
      << what;
}

// What EvaluationError says.
std::string complaint(const std::string& text, const Point& x, const Point& z) {
  try {
    const double v = at(text, x, z);
    return "is " + std::to_string(v);
  } catch (const mercer::EvaluationError& e) {
    return e.what();
  }
}

void expect_complaint(const std::string& text, const Point& x, const Point& z,
                      const std::vector<std::string>& parts) {
  const std::string said = complaint(text, x, z);
  for (const auto& part : parts)
    EXPECT_NE(said.find(part), std::string::npos)
        << text << " without \"" << part << "\": " << said;
}

// ---- accuracy

TEST(Evaluate, DistancesByDifferences) {
  // 1e8 away from the origin |x|^2 - 2 x.z + |z|^2 has no correct digit left.
  const Point x{1e8, 1e8 + 0.25};
  const Point z{1e8 + 0.5, 1e8};
  expect_relative(at("rbf(1)", x, z), std::exp(-0.3125L), 1e-15, "rbf");
  expect_relative(at("exp(-(x-z).(x-z))", x, z), std::exp(-0.3125L), 1e-15, "by inner products");
  expect_relative(at("laplacian(2)", x, z), std::exp(-1.5L), 1e-15, "laplacian");
  expect_relative(at("matern(0.5)", x, z), std::exp(-std::sqrt(0.3125L)), 1e-15, "matern");
  expect_relative(at("rq(2, 3)", x, z), std::pow(1 + 0.3125L / 36, -2.0L), 1e-15, "rq");
  expect_relative(at("|2*x - 2*z|", x, z), std::sqrt(1.25L), 1e-15, "scaled");
  expect_relative(at("exp(-|x[1]-z[1]|)", x, z), std::exp(-0.5L), 1e-15, "a coordinate");
}

TEST(Evaluate, SmallChangesNearOne) {
  for (const long double t : {1e-3L, 1e-8L, 1e-15L, 1e-20L, 1e-100L}) {
    const auto x = static_cast<double>(t);
    const auto exact = static_cast<long double>(x);
    expect_relative(at("log(1 + x)", x), std::log1p(exact), 1e-15, "log1p");
    expect_relative(at("log(1 - x)", x), std::log1p(-exact), 1e-15, "log1p of a negative");
    expect_relative(at("log(1 + 2*x + x)", x), std::log1p(3 * exact), 1e-15, "log1p of a sum");
    expect_relative(at("exp(x) - 1", x), std::expm1(exact), 1e-15, "expm1");
    expect_relative(at("1 - exp(-x)", x), -std::expm1(-exact), 1e-15, "1 - exp");
    expect_relative(at("3*exp(x) - 3", x), 3 * std::expm1(exact), 1e-15, "3 exp - 3");
    expect_relative(at("1 - cos(x)", x), 2 * std::pow(std::sin(exact / 2), 2.0L), 2e-15, "1 - cos");
    expect_relative(at("cosh(x) - 1", x), 2 * std::pow(std::sinh(exact / 2), 2.0L), 2e-15,
                    "cosh - 1");
    expect_relative(at("(1 + x)^0.3 - 1", x), std::expm1(0.3L * std::log1p(exact)), 1e-15,
                    "power - 1");
    expect_relative(at("1 - 1/sqrt(1 + x)", x), -std::expm1(-0.5L * std::log1p(exact)), 1e-15,
                    "1 - root");
  }
}

TEST(Evaluate, PowersCloseToAnExponential) {
  const Point x{1, 2};
  const Point z{0.5, 1};
  for (const char* alpha : {"1e3", "1e6", "1e10", "1e14"}) {
    const long double a = std::stold(alpha);
    const long double expected = std::exp(-a * std::log1p(1.25L / (2 * a)));
    expect_relative(at("rq(" + std::string(alpha) + ")", x, z), expected, 1e-14, alpha);
  }
  EXPECT_NEAR(at("rq(1e10)", x, z), at("rbf(0.5)", x, z), 1e-10);
  expect_relative(at("(1 + x.z/1e12)^1e12", x, z), std::exp(1e12L * std::log1p(2.5L / 1e12L)),
                  1e-14, "poly");
}

TEST(Evaluate, LongSums) {
  // 10^5 coordinates; a plain loop loses four digits here.
  const std::size_t d = 100'000;
  Random random(3);
  Point x = random.point(d, 0, 1);
  Point z = random.point(d, 0, 1);
  x[0] = 1e8;
  z[0] = 1e8;
  x[1] = -1e8;
  z[1] = 1e8;
  long double expected = 0;
  for (std::size_t i = d; i-- > 2;)
    expected += static_cast<long double>(x[i]) * static_cast<long double>(z[i]);
  expect_relative(at("x.z", x, z), expected, 1e-10, "x.z");
  long double distance = 0;
  for (std::size_t i = d; i-- > 0;)
    distance += std::fabs(static_cast<long double>(x[i]) - static_cast<long double>(z[i]));
  expect_relative(at("|x-z|_1", x, z), distance, 1e-15, "|x-z|_1");
}

TEST(Evaluate, ManyCoordinatesOfAnova) {
  const Point ones(60, 1.0);
  // All sets of 30 among 60, C(60, 30).
  expect_relative(at("anova(30)", ones, ones), 118264581564861424.0L, 1e-14, "anova");
  EXPECT_EQ(at("anova(60)", ones, ones), 1);
  EXPECT_EQ(at("anova(61)", ones, ones), 0);
  expect_relative(at("subsets", ones, ones), std::pow(2.0L, 60.0L), 1e-15, "subsets");
}

TEST(Evaluate, CosineOfTinyAndHugeVectors) {
  for (const double s : {1e-300, 1e-200, 1e-160, 1.0, 1e150, 1e160, 1e200, 1e300}) {
    const Point x{3 * s, 4 * s};
    const Point z{4, 3};
    EXPECT_NEAR(at("cosine", x, z), 0.96, 1e-15) << s;
    EXPECT_NEAR(at("cosine", z, x), 0.96, 1e-15) << s;
    EXPECT_NEAR(at("cosine", x, x), 1, 1e-15) << s;
  }
}

// A value that is too large or too small on the way is an error, or right; never silently wrong.
TEST(Evaluate, OverflowOnTheWayIsNoticed) {
  const Point x{30};
  const Point z{20};
  try {
    expect_relative(at("normalize(exp(x.z))", x, z), std::exp(-50.0L), 1e-12, "normalize");
  } catch (const mercer::EvaluationError&) {
  }
  EXPECT_THROW(at("exp(x1)", Point{1000}, Point{0}), mercer::EvaluationError);
  EXPECT_THROW(at("x1*z1", Point{1e200}, Point{1e200}), mercer::EvaluationError);
  EXPECT_THROW(at("cosh(x1)", Point{1000}, Point{0}), mercer::EvaluationError);
  EXPECT_THROW(at("x.z", Point{1e200, 1}, Point{1e200, 1}), mercer::EvaluationError);
  EXPECT_THROW(at("1e308*x1", Point{10}, Point{0}), mercer::EvaluationError);
  EXPECT_THROW(at("exp(x1) - exp(z1)", Point{1000}, Point{1000}), mercer::EvaluationError);
  EXPECT_THROW(at("10^400*x1", Point{1}, Point{1}), mercer::EvaluationError);
  EXPECT_EQ(at("rbf(1)", Point{1e200}, Point{-1e200}), 0);
  EXPECT_EQ(at("exp(-exp(x1))", Point{1000}, Point{0}), 0);
  EXPECT_EQ(at("tanh(x1)", Point{1e300}, Point{0}), 1);
}

// Simplification must not take a value apart into parts beyond the range of doubles.
TEST(Evaluate, PowersOfMultiplesStayInRange) {
  EXPECT_EQ(at("(2*x1)^2000", 0.5), 1);
  EXPECT_EQ(at("(2*x1)^2000", 0), 0);
  EXPECT_EQ(at("(0.5*x1)^-2000", 2), 1);
  EXPECT_EQ(at("(9*|x-z|)^390625", 3), 0);
  EXPECT_NEAR(at("(0.001*x1*z1)^200", Point{1000}, Point{1}), 1, 1e-12);
  EXPECT_EQ(at("(2*x1 - 2*z1)^1100", Point{1}, Point{0.5}), 1);
}

// 1e-400 is no double, but 1e-400*x1 may be one.
TEST(Evaluate, CoefficientsBeyondTheRangeOfDoubles) {
  expect_relative(at("(x1*z1/1e200)^2", 1e70), 1e-120L, 1e-13, "a square");
  expect_relative(at("x.z*1e-200*1e-200", 1e150), 1e-100L, 1e-13, "an inner product");
  expect_relative(at("x1*1e200*1e200", 1e-150), 1e250L, 1e-13, "a large one");
}

TEST(Evaluate, QuotientsAreRoundedOnce) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const double a = random.uniform(-10, 10);
    const double b = random.uniform(-10, 10);
    EXPECT_EQ(at("x1/z1", Point{a}, Point{b}), a / b);
    EXPECT_EQ(at("x1/x1", Point{a}, Point{b}), 1);
  }
}

TEST(Evaluate, RepeatedEvaluationIsTheSame) {
  const Kernel k = Kernel::parse("rbf(0.3)*poly(3) + matern(2.2) + anova(2)");
  Random random(8);
  const Point x = random.point(7, -1, 1);
  const Point z = random.point(7, -1, 1);
  const double first = k(x, z);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(k(x, z), first);
}

// ---- errors

TEST(Evaluate, UndefinedSaysWhereAndWhy) {
  expect_complaint("1 + log(x1)", {-2}, {1}, {"log(x1)", "undefined", "x = (-2)", "positive"});
  expect_complaint("sqrt(x1 - z1)", {1}, {3}, {"undefined", "-2", "x = (1)", "z = (3)"});
  expect_complaint("1/(x1 - z1)", {3}, {3}, {"division by zero", "x = (3)"});
  expect_complaint("asin(2*x1)", {1}, {0}, {"asin", "[-1,1]", "2"});
  expect_complaint("normalize(x1)", {-1}, {1}, {"k(x,x)", "negative"});
  expect_complaint("chi2", {1, 2}, {-1, 2}, {"division by zero"});
  expect_complaint("x1^z1", {-8}, {0.5}, {"real power", "-8"});
  expect_complaint("0^x1", {-1}, {0}, {"division by zero"});
  expect_complaint("poly(0.5)", {1}, {-3}, {"real power of the negative number -2"});
  expect_complaint("rq(2)^(-1/3) + log(-|x|)", {1}, {2}, {"log"});
}

TEST(Evaluate, PointsOfTheWrongDimension) {
  expect_complaint("x.z", {1, 2}, {1}, {"x has dimension 2", "z has 1"});
  expect_complaint("x3*z1", {1, 2}, {1, 2}, {"coordinate 3", "dimension 2"});
  expect_complaint("rbf[2:5]", {1, 2}, {1, 2}, {"coordinate 5", "dimension 2"});
  expect_complaint("x*z", {1, 2}, {1, 2}, {"number", "dimension 1", "2"});
  expect_complaint("x.z", {}, {}, {"without coordinates"});
}

TEST(Evaluate, CoordinatesThatAreNoNumbers) {
  const double nan = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  for (const char* text : {"x.z", "rbf(1)", "min(x1, z1)", "1", "intersection", "0*x1 + 1"}) {
    expect_complaint(text, {1, nan}, {1, 2}, {"x2", "nan"});
    expect_complaint(text, {1, 2}, {infinite, 2}, {"z1", "inf"});
    expect_complaint(text, {1, 2}, {-infinite, 2}, {"z1", "-inf"});
  }
}

TEST(Evaluate, TooLarge) {
  expect_complaint("exp(x1)", {1000}, {0}, {"exp(x1)", "too large", "x = (1000)"});
  expect_complaint("x.z", {1e200}, {1e200}, {"too large"});
}

TEST(Evaluate, NotYetEvaluable) {
  expect_complaint("rbf(gamma=?)", {1}, {2}, {"rbf(gamma=?)", "open"});
  expect_complaint("2*linear + poly(?, c=1)", {1}, {2}, {"open"});
  expect_complaint("linear[\"age\"]", {1}, {2}, {"age", "name"});
  expect_complaint("x[\"age\"]*z1", {1}, {2}, {"age", "name"});
  expect_complaint("precomputed", {1}, {2}, {"precomputed", "matrix"});
}

TEST(Evaluate, LongPointsAreShortenedInMessages) {
  const Point x(1000, 1.0);
  Point z(1000, 1.0);
  z[500] = -1;
  const std::string said = complaint("sum(i, log(z[i]))", x, z);
  EXPECT_NE(said.find("log"), std::string::npos);
  EXPECT_LT(said.size(), 400U) << said;
}

TEST(Evaluate, BordersOfDomainsBelongToThem) {
  EXPECT_EQ(at("sqrt(x1)", 0), 0);
  EXPECT_EQ(at("x1^1.5", 0), 0);
  EXPECT_EQ(at("x1^0", 0), 1);
  EXPECT_EQ(at("0^x1", 0), 1);
  EXPECT_DOUBLE_EQ(at("asin(x1)", 1), std::asin(1.0));
  EXPECT_DOUBLE_EQ(at("asin(x1)", -1), std::asin(-1.0));
  // A cosine of 1 may come out as 1 plus or minus a rounding error.
  for (const double t : {0.1, 0.7, 0.3, 0.9})
    EXPECT_NEAR(at("asin(cosine)", Point{t, 0.7, 0.3}, Point{t, 0.7, 0.3}), std::asin(1.0), 1e-7);
  EXPECT_EQ(at("|x|", 0), 0);
  EXPECT_EQ(at("matern(1.3)", 7), 1);
}

}  // namespace
