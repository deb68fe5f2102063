// Verdicts on separability against independent computations: certificates are checked here once
// more from their text, and small cases in the plane against geometry in whole numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <mercer/error.hpp>
#include <mercer/separable.hpp>

#include "base/rational.hpp"
#include "support/random.hpp"

namespace {

using mercer::Kernel;
using mercer::Matrix;
using mercer::Rational;
using mercer::Separability;
using mercer::SeparableOptions;
using Kind = Separability::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

struct Data {
  Matrix table;
  std::vector<int> y;
};

Data data(std::size_t columns, const std::vector<double>& values, const std::vector<int>& y) {
  Data d;
  d.table.columns = columns;
  d.table.rows = y.size();
  d.table.values = values;
  d.y = y;
  return d;
}

const Data xor_data = data(2, {0, 0, 0, 1, 1, 0, 1, 1}, {-1, 1, 1, -1});

Rational fraction(const std::string& text) {
  const auto bar = text.find('/');
  const auto up = Rational::from_decimal(text.substr(0, bar));
  if (bar == std::string::npos) return *up;
  return *up / *Rational::from_decimal(text.substr(bar + 1));
}

using Map = std::function<std::vector<Rational>(const std::vector<Rational>&)>;

std::vector<Rational> point(const Matrix& t, std::size_t row) {
  std::vector<Rational> x;
  for (const double v : t.row(row)) x.push_back(Rational::from_double(v));
  return x;
}

// y_i f(x_i) > 0, or a balance of the classes, recomputed from the text with φ in plain C++.
void check(const Data& d, const Map& phi, const Separability& answer, bool offset = true) {
  if (answer.kind == Kind::separable) {
    const auto& s = *answer.separator;
    double margin = INFINITY;
    double square = 0;
    for (const auto& w : s.weights) square += std::pow(fraction(w).to_double(), 2);
    for (std::size_t i = 0; i < d.y.size(); ++i) {
      const auto features = phi(point(d.table, i));
      ASSERT_EQ(features.size(), s.weights.size());
      Rational f = fraction(s.offset);
      for (std::size_t j = 0; j < features.size(); ++j) f += fraction(s.weights[j]) * features[j];
      EXPECT_EQ(f.sign(), d.y[i]) << i;
      margin = std::min(margin, std::abs(f.to_double()) / std::sqrt(square));
    }
    if (!offset) {
      EXPECT_EQ(s.offset, "0");
    }
    EXPECT_NEAR(margin, s.margin, 1e-9 * margin);
    EXPECT_GE(s.largest_margin, s.margin);
    EXPECT_TRUE(s.exact);
    return;
  }
  ASSERT_EQ(answer.kind, Kind::not_separable);
  const auto& b = *answer.balance;
  Rational positive;
  Rational negative;
  std::vector<Rational> total(phi(point(d.table, 0)).size());
  for (std::size_t i = 0; i < b.rows.size(); ++i) {
    const Rational a = fraction(b.weights[i]);
    EXPECT_GT(a.sign(), 0);
    (d.y[b.rows[i]] > 0 ? positive : negative) += a;
    const auto features = phi(point(d.table, b.rows[i]));
    for (std::size_t j = 0; j < total.size(); ++j)
      total[j] += Rational(d.y[b.rows[i]]) * a * features[j];
  }
  if (offset) {
    EXPECT_EQ(positive, Rational(1));
    EXPECT_EQ(negative, Rational(1));
  } else {
    EXPECT_EQ(positive + negative, Rational(1));
  }
  for (const auto& t : total) EXPECT_TRUE(t.is_zero());
}

const Map identity = [](const std::vector<Rational>& x) { return x; };
const Map with_product = [](const std::vector<Rational>& x) {
  return std::vector<Rational>{x[0], x[1], x[0] * x[1]};
};

TEST(Separable, ExclusiveOr) {
  const auto linear = mercer::separable(xor_data.table, xor_data.y, "[x1, x2]");
  EXPECT_EQ(linear.kind, Kind::not_separable);
  check(xor_data, identity, linear);
  const auto product = mercer::separable(xor_data.table, xor_data.y, "[x1, x2, x1*x2]");
  EXPECT_EQ(product.kind, Kind::separable);
  check(xor_data, with_product, product);
  // The hulls' nearest points are at distance 1/sqrt(6).
  EXPECT_NEAR(product.separator->largest_margin, 1 / std::sqrt(6.0) / 2, 1e-12);
}

TEST(Separable, LargestMarginOfTwoPoints) {
  const auto d = data(2, {0, 0, 3, 4}, {-1, 1});
  const auto answer = mercer::separable(d.table, d.y, "[x]");
  EXPECT_DOUBLE_EQ(answer.separator->margin, 2.5);
  EXPECT_EQ(answer.separator->formula, "0.24*x1 + 0.32*x2 - 1");
}

// ---- random sets

TEST(Separable, SetsMadeFromASeparatorAreSeparable) {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    const std::size_t dimension = 1 + random.below(6);
    const auto w = random.point(dimension, -1, 1);
    const double b = random.uniform(-0.5, 0.5);
    Data d;
    d.table.columns = dimension;
    while (d.y.size() < 40) {
      const auto x = random.point(dimension, -1, 1);
      double f = b;
      for (std::size_t j = 0; j < dimension; ++j) f += w[j] * x[j];
      if (std::abs(f) < 1e-6) continue;
      d.table.values.insert(d.table.values.end(), x.begin(), x.end());
      d.y.push_back(f > 0 ? 1 : -1);
    }
    d.table.rows = d.y.size();
    if (std::ranges::count(d.y, 1) == 0 || std::ranges::count(d.y, -1) == 0) continue;
    const auto answer = mercer::separable(d.table, d.y, "[x]");
    EXPECT_EQ(answer.kind, Kind::separable) << round;
    check(d, identity, answer);
  }
}

TEST(Separable, CommonPointsOfTheHullsAreFound) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    // The mean of three points of one class is a point of the other.
    const std::size_t dimension = 2 + random.below(4);
    Data d;
    d.table.columns = dimension;
    std::vector<double> mean(dimension);
    for (int i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < dimension; ++j) {
        const double v = static_cast<double>(random.below(200)) / 8 - 12;
        d.table.values.push_back(v);
        mean[j] += v / 4;
      }
      d.y.push_back(1);
    }
    d.table.values.insert(d.table.values.end(), mean.begin(), mean.end());
    d.y.push_back(-1);
    for (int i = 0; i < 10; ++i) {
      const auto x = random.point(dimension, -20, 20);
      d.table.values.insert(d.table.values.end(), x.begin(), x.end());
      d.y.push_back(random.one_in(2) ? 1 : -1);
    }
    d.table.rows = d.y.size();
    const auto answer = mercer::separable(d.table, d.y, "[x]");
    EXPECT_EQ(answer.kind, Kind::not_separable) << round;
    check(d, identity, answer);
  }
}

// ---- the plane, in whole numbers: do the hulls meet?

struct P {
  int x;
  int y;
};

int side(P a, P b, P c) {
  const int cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  return (cross > 0) - (cross < 0);
}

bool on_segment(P a, P b, P c) {
  return side(a, b, c) == 0 && std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) &&
         std::min(a.y, b.y) <= c.y && c.y <= std::max(a.y, b.y);
}

bool segments_meet(P a, P b, P c, P d) {
  if (on_segment(a, b, c) || on_segment(a, b, d) || on_segment(c, d, a) || on_segment(c, d, b))
    return true;
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
}

bool in_triangle(P a, P b, P c, P p) {
  const int s = side(a, b, p);
  const int t = side(b, c, p);
  const int u = side(c, a, p);
  if (side(a, b, c) == 0) return false;  // its segments are looked at
  return (s >= 0 && t >= 0 && u >= 0) || (s <= 0 && t <= 0 && u <= 0);
}

bool hulls_meet(const std::vector<P>& A, const std::vector<P>& B) {
  for (const auto& a : A)
    for (const auto& b : A)
      for (const auto& c : B) {
        for (const auto& d : B)
          if (segments_meet(a, b, c, d)) return true;
        for (const auto& e : A)
          if (in_triangle(a, b, e, c)) return true;
      }
  for (const auto& a : B)
    for (const auto& b : B)
      for (const auto& e : B)
        for (const auto& c : A)
          if (in_triangle(a, b, e, c)) return true;
  return false;
}

TEST(Separable, AgreesWithGeometryInThePlane) {
  Random random(13);
  int separable = 0;
  int not_separable = 0;
  for (int round = 0; round < 2000; ++round) {
    Data d;
    d.table.columns = 2;
    std::vector<P> A;
    std::vector<P> B;
    const std::size_t n = 2 + random.below(6);
    const std::size_t range = 3 + random.below(5);
    for (std::size_t i = 0; i < n; ++i) {
      const P p{static_cast<int>(random.below(range)), static_cast<int>(random.below(range))};
      const bool positive = i == 0 || (i != 1 && random.one_in(2));
      d.table.values.insert(d.table.values.end(),
                            {static_cast<double>(p.x) / 10, static_cast<double>(p.y) / 10});
      d.y.push_back(positive ? 1 : -1);
      (positive ? A : B).push_back(p);
    }
    d.table.rows = n;
    const auto answer = mercer::separable(d.table, d.y, "[x1, x2]");
    EXPECT_EQ(answer.kind == Kind::not_separable, hulls_meet(A, B)) << round;
    check(d, identity, answer);
    const auto kernel = mercer::separable(d.table, d.y, Kernel::parse("linear"));
    EXPECT_EQ(kernel.kind, answer.kind) << round;
    if (kernel.separator) {
      EXPECT_NEAR(kernel.separator->largest_margin, answer.separator->largest_margin,
                  1e-6 * answer.separator->largest_margin);
    }
    ++(answer.kind == Kind::separable ? separable : not_separable);
  }
  EXPECT_GT(separable, 300);
  EXPECT_GT(not_separable, 300);
}

TEST(Separable, OnALineWithoutAnOffset) {
  Random random(14);
  for (int round = 0; round < 300; ++round) {
    Data d;
    d.table.columns = 1;
    const std::size_t n = 2 + random.below(4);
    bool forwards = true;
    bool backwards = true;
    for (std::size_t i = 0; i < n; ++i) {
      const int x = static_cast<int>(random.below(9)) - 4;
      const int y = i == 0 ? 1 : i == 1 ? -1 : random.pick({1, -1});
      d.table.values.push_back(x);
      d.y.push_back(y);
      forwards = forwards && x * y > 0;
      backwards = backwards && x * y < 0;
    }
    d.table.rows = n;
    SeparableOptions options;
    options.offset = false;
    const auto answer = mercer::separable(d.table, d.y, "[x]", options);
    EXPECT_EQ(answer.kind == Kind::separable, forwards || backwards) << round;
    check(d, identity, answer, false);
  }
}

// ---- kernels

double value(const Separability& answer, const Data& d, const Kernel& k, std::size_t row) {
  double f = fraction(answer.separator->offset).to_double();
  for (std::size_t j = 0; j < answer.separator->rows.size(); ++j)
    f += fraction(answer.separator->weights[j]).to_double() *
         k(d.table.row(answer.separator->rows[j]), d.table.row(row));
  return f;
}

TEST(SeparableByKernel, DistinctPointsUnderRbfAlwaysAre) {
  Random random(15);
  for (const char* text : {"rbf(1)", "rbf(0.01)", "laplacian", "matern(2.5, 10)"}) {
    const Kernel k = Kernel::parse(text);
    Data d;
    d.table.columns = 2;
    for (int i = 0; i < 30; ++i) {
      const auto x = random.point(2, -1, 1);
      d.table.values.insert(d.table.values.end(), x.begin(), x.end());
      d.y.push_back(random.pick({1, -1}));
    }
    d.table.rows = d.y.size();
    const auto answer = mercer::separable(d.table, d.y, k);
    ASSERT_EQ(answer.kind, Kind::separable) << text << ": " << answer.reason;
    EXPECT_FALSE(answer.separator->exact);
    if (std::string(text) == "rbf(0.01)") continue;  // beyond doubles, which is the point
    for (std::size_t i = 0; i < d.y.size(); ++i) EXPECT_GT(d.y[i] * value(answer, d, k, i), 0);
  }
}

TEST(SeparableByKernel, OnePointWithTwoLabelsNeverIs) {
  const auto d = data(1, {1, 2, 1}, {1, -1, -1});
  for (const char* text : {"rbf(1)", "linear", "exp(x.z)"}) {
    const auto answer = mercer::separable(d.table, d.y, Kernel::parse(text));
    ASSERT_EQ(answer.kind, Kind::not_separable);
    EXPECT_THAT(answer.balance->rows, ElementsAre(0, 2));
    EXPECT_THAT(answer.balance->weights, ElementsAre("1", "1"));
  }
}

TEST(SeparableByKernel, PolynomialsAgreeWithTheirMonomials) {
  Random random(16);
  std::array<int, 2> both{};
  for (int round = 0; round < 60; ++round) {
    Data d;
    d.table.columns = 2;
    const std::size_t n = 7 + random.below(4);
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = random.round_point(2, -2, 2);
      d.table.values.insert(d.table.values.end(), x.begin(), x.end());
      d.y.push_back(i < 2 ? (i == 0 ? 1 : -1) : random.pick({1, -1}));
    }
    d.table.rows = n;
    const auto map = mercer::separable(d.table, d.y, "[x1, x2, x1^2, x1*x2, x2^2]");
    const auto kernel = mercer::separable(d.table, d.y, Kernel::parse("poly(2)"));
    EXPECT_EQ(map.kind, kernel.kind) << round;
    ASSERT_NE(map.kind, Kind::undecided);
    ++both.at(map.kind == Kind::separable ? 0 : 1);
    // sqrt(2) scales a coordinate; nothing else changes.
    EXPECT_EQ(mercer::separable(d.table, d.y, "[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]").kind,
              map.kind);
  }
  EXPECT_GT(both[0], 5);
  EXPECT_GT(both[1], 5);
}

TEST(SeparableByKernel, WhatIsNoKernelIsRefused) {
  const auto d = data(1, {1, 2, 3}, {1, -1, 1});
  try {
    mercer::separable(d.table, d.y, Kernel::parse("-x.z"));
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is not a kernel"));
    EXPECT_THAT(error.what(), HasSubstr("mercer prove"));
  }
  EXPECT_THROW(mercer::separable(d.table, d.y, Kernel::parse("rbf(?)")), mercer::Error);
  EXPECT_THROW(mercer::separable(d.table, d.y, Kernel::parse("rbf(1)[\"a\"]")), mercer::Error);
}

// ---- where doubles do not suffice

TEST(Separable, MarginsBelowTheRoundingOfDoubles) {
  // On a line of slope 10^9, except for one point that is off by 10^-7.
  const auto d =
      data(2, {0, 0, 1, 1e9, 2, 2e9, 3, 3000000000.0000005, 4, 4e9}, {-1, -1, -1, 1, -1});
  const auto answer = mercer::separable(d.table, d.y, "[x]");
  EXPECT_EQ(answer.kind, Kind::separable);
  check(d, identity, answer);
  const auto kernel = mercer::separable(d.table, d.y, Kernel::parse("linear"));
  EXPECT_EQ(kernel.kind, Kind::separable);
  // And on it.
  const auto on = data(2, {0, 0, 1, 1e9, 2, 2e9, 3, 3e9, 4, 4e9}, {-1, -1, -1, 1, -1});
  EXPECT_EQ(mercer::separable(on.table, on.y, "[x]").kind, Kind::not_separable);
}

TEST(Separable, UndecidedIsSaidSo) {
  const auto answer = mercer::separable(xor_data.table, xor_data.y, "[x1, exp(x2)]");
  EXPECT_EQ(answer.kind, Kind::undecided);
  EXPECT_THAT(answer.reason, HasSubstr("not rational"));
  EXPECT_EQ(mercer::separable(xor_data.table, xor_data.y, "[x1, x2, exp(x1*x2)]").kind,
            Kind::separable);
}

TEST(Separable, FeaturesUndefinedSomewhereAreAnError) {
  try {
    mercer::separable(xor_data.table, xor_data.y, "[log(x1)]");
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the feature log(x1) in row 1"));
  }
}

// ---- maps as text

std::string mistake(const std::string& map) {
  try {
    mercer::separable(xor_data.table, xor_data.y, map);
  } catch (const mercer::ParseError& error) {
    return error.line();
  }
  return "no error";
}

TEST(Map, MistakesArePointedAt) {
  EXPECT_THAT(mistake("x1, x2"), HasSubstr("column 1: a feature map is a list in brackets"));
  EXPECT_THAT(mistake("[x1, x2"), HasSubstr("column 8: the list is not closed"));
  EXPECT_THAT(mistake("[x1,, x2]"), HasSubstr("column 5: a coordinate is missing here"));
  EXPECT_THAT(mistake("[]"), HasSubstr("column 1: the list is empty"));
  EXPECT_THAT(mistake("[x1, x2*z1]"),
              HasSubstr("column 6: a feature map is a function of x alone"));
  EXPECT_THAT(mistake("[x1, x2 + sine(x1)]"), HasSubstr("column 11: unknown name 'sine'"));
  EXPECT_THAT(mistake("[x1, x3]"), HasSubstr("column 6: there is no coordinate 3"));
  EXPECT_THAT(mistake("[x1)]"), HasSubstr("column 4: a bracket that was never opened"));
  EXPECT_THAT(mistake("[x.x[\"a\"]]"), HasSubstr("column"));
}

TEST(Map, CommasInsideOfCallsAndAllCoordinates) {
  const auto answer = mercer::separable(xor_data.table, xor_data.y, "[ min(x1, x2), x, |x|^2 ]");
  EXPECT_THAT(answer.features, ElementsAre("min(x1, x2)", "x1", "x2", "|x|^2"));
  EXPECT_EQ(answer.kind, Kind::separable);
  EXPECT_TRUE(answer.separator->exact);
}

}  // namespace
