// Domains: reading, printing, membership.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mercer/domain.hpp>
#include <mercer/error.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace {

using mercer::Domain;
using Kind = Domain::Kind;
using Point = std::vector<double>;

bool contains(const std::string& domain, const Point& point) {
  return Domain::parse(domain).contains(point);
}

const double infinite = std::numeric_limits<double>::infinity();
const double tiny = std::numeric_limits<double>::denorm_min();

TEST(Domain, Kinds) {
  EXPECT_EQ(Domain::parse("R").kind(), Kind::reals);
  EXPECT_EQ(Domain::parse("R+").kind(), Kind::interval);
  EXPECT_EQ(Domain::parse("R++").kind(), Kind::interval);
  EXPECT_EQ(Domain::parse("Z").kind(), Kind::integers);
  EXPECT_EQ(Domain::parse("N").kind(), Kind::naturals);
  EXPECT_EQ(Domain::parse("[0,1]").kind(), Kind::interval);
  EXPECT_EQ(Domain::parse("{1,2}").kind(), Kind::finite);
  EXPECT_EQ(Domain::parse("ball(2)").kind(), Kind::ball);
  EXPECT_EQ(Domain::parse("sphere").kind(), Kind::sphere);
  EXPECT_EQ(Domain(), Domain::parse("R"));
  EXPECT_EQ(Domain::reals(), Domain::parse("R"));
  EXPECT_EQ(Domain::nonnegative(), Domain::parse("R+"));
  EXPECT_EQ(Domain::positive(), Domain::parse("R++"));
}

TEST(Domain, PrintsWhatItReads) {
  for (const char* text :
       {"R", "R+", "R++", "Z", "N", "[0,1]", "(0,1)", "[0,1)", "(0,1]", "[-2.5,1/3]", "(-inf,2]",
        "[3,inf)", "{0,1}", "{-1,0.5,2/3}", "ball(1)", "ball(0.1)", "sphere", "[2,2]"}) {
    const Domain d = Domain::parse(text);
    EXPECT_EQ(d.text(), text);
    EXPECT_EQ(Domain::parse(d.text()), d);
    std::ostringstream out;
    out << d;
    EXPECT_EQ(out.str(), text);
  }
}

TEST(Domain, EqualWhereTheyAreTheSameSet) {
  for (const auto& [a, b] :
       std::vector<std::pair<std::string, std::string>>{{"[0,inf)", "R+"},
                                                        {"(0,inf)", "R++"},
                                                        {"(-inf,inf)", "R"},
                                                        {"{2,1,1}", "{1,2}"},
                                                        {"[0.5,1]", "[1/2,1]"},
                                                        {" [ 0 , 1 ] ", "[0,1]"},
                                                        {"ball(0.5)", "ball(1/2)"},
                                                        {"ball(2^3)", "ball(8)"}})
    EXPECT_EQ(Domain::parse(a), Domain::parse(b)) << a << " and " << b;
  EXPECT_FALSE(Domain::parse("[0,1]") == Domain::parse("[0,1)"));
  EXPECT_FALSE(Domain::parse("R+") == Domain::parse("R++"));
  EXPECT_FALSE(Domain::parse("Z") == Domain::parse("N"));
  EXPECT_FALSE(Domain::parse("[0,0.1]") ==
               Domain::parse("[0,0.1000000000000000055511151231257827]"));
}

TEST(Domain, MembershipOfEachCoordinate) {
  EXPECT_TRUE(contains("R", {1, -2, 1e300}));
  EXPECT_TRUE(contains("R+", {0, 2}));
  EXPECT_TRUE(contains("R+", {-0.0}));
  EXPECT_FALSE(contains("R+", {1, -tiny}));
  EXPECT_TRUE(contains("R++", {tiny}));
  EXPECT_FALSE(contains("R++", {0, 1}));
  EXPECT_TRUE(contains("Z", {-3, 0, 1e300}));
  EXPECT_FALSE(contains("Z", {1, 0.5}));
  EXPECT_TRUE(contains("N", {1, 7}));
  EXPECT_FALSE(contains("N", {0}));
  EXPECT_FALSE(contains("N", {-1}));
  EXPECT_TRUE(contains("[0,1]", {0, 1, 0.5}));
  EXPECT_FALSE(contains("[0,1]", {std::nextafter(1.0, 2.0)}));
  EXPECT_FALSE(contains("(0,1)", {0.5, 1}));
  EXPECT_TRUE(contains("(0,1)", {tiny, std::nextafter(1.0, 0.0)}));
  EXPECT_TRUE(contains("[0,1)", {0}));
  EXPECT_FALSE(contains("[0,1)", {1}));
  EXPECT_TRUE(contains("{0,1,-2.5}", {1, -2.5, 0, 0}));
  EXPECT_FALSE(contains("{0,1}", {0.5}));
  EXPECT_TRUE(contains("(-inf,2]", {-1e300, 2}));
}

// Decided exactly for the doubles given: the double 0.1 is a little more than one tenth.
TEST(Domain, BordersAreExact) {
  EXPECT_FALSE(contains("[0,0.1]", {0.1}));
  EXPECT_TRUE(contains("[0.1,1]", {0.1}));
  EXPECT_TRUE(contains("(0.1,1]", {0.1}));
  EXPECT_TRUE(contains("[0,1/3]", {1.0 / 3}));  // a little less
  EXPECT_FALSE(contains("[1/3,1]", {1.0 / 3}));
  EXPECT_TRUE(contains("{0.1,1/3}", {0.1, 1.0 / 3}));  // the nearest double stands for the value
}

TEST(Domain, BallAndSphere) {
  EXPECT_TRUE(contains("ball(5)", {3, 4}));
  EXPECT_FALSE(contains("ball(5)", {3, std::nextafter(4.0, 5.0)}));
  EXPECT_TRUE(contains("ball(1)", {0, 0, 0}));
  EXPECT_FALSE(contains("ball(1)", {1, tiny}));
  EXPECT_TRUE(contains("ball(1)", {-1, 0}));
  EXPECT_TRUE(contains("ball(1e200)", {1e200}));
  EXPECT_FALSE(contains("ball(1)", {1e200, 1e200}));
  EXPECT_TRUE(contains("sphere", {0.6, 0.8}));
  EXPECT_TRUE(contains("sphere", {-1}));
  EXPECT_FALSE(contains("sphere", {0, 0}));
  EXPECT_FALSE(contains("sphere", {0.6, 0.81}));
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    Point point = random.point(5, -1, 1);
    double squared = 0;
    for (const double v : point) squared += v * v;
    for (auto& v : point) v /= std::sqrt(squared);
    EXPECT_TRUE(contains("sphere", point));
    for (auto& v : point) v *= 1 + 1e-10;
    EXPECT_FALSE(contains("sphere", point));
  }
}

TEST(Domain, NoDomainHasNanOrInfinity) {
  for (const char* domain : {"R", "R+", "Z", "N", "[0,inf)", "{1}", "ball(1)", "sphere"}) {
    EXPECT_FALSE(contains(domain, {std::nan("")})) << domain;
    EXPECT_FALSE(contains(domain, {infinite})) << domain;
    EXPECT_FALSE(contains(domain, {1, -infinite})) << domain;
  }
}

TEST(Domain, Bounds) {
  const auto expect_bounds = [](const char* text, double low, double high, bool low_open,
                                bool high_open) {
    const auto b = Domain::parse(text).bounds();
    EXPECT_EQ(b.low, low) << text;
    EXPECT_EQ(b.high, high) << text;
    EXPECT_EQ(b.low_open, low_open) << text;
    EXPECT_EQ(b.high_open, high_open) << text;
  };
  expect_bounds("R", -infinite, infinite, true, true);
  expect_bounds("R+", 0, infinite, false, true);
  expect_bounds("R++", 0, infinite, true, true);
  expect_bounds("[-1,2)", -1, 2, false, true);
  expect_bounds("{3,-1,2}", -1, 3, false, false);
  expect_bounds("ball(2)", -2, 2, false, false);
  expect_bounds("sphere", -1, 1, false, false);
}

struct Bad {
  std::string text;
  std::size_t column;
  std::string message;
};

TEST(Domain, MistakesAreShownInPlace) {
  for (const auto& bad : std::vector<Bad>{{"", 1, "empty"},
                                          {"Q", 1, "unknown domain"},
                                          {"R-", 1, "unknown domain"},
                                          {"[1,0]", 1, "empty"},
                                          {"(1,1)", 1, "empty"},
                                          {"[0,1", 1, "unknown domain"},
                                          {"[0]", 1, "two ends"},
                                          {"[0,1,2]", 1, "two ends"},
                                          {"[0,inf]", 1, "infinity"},
                                          {"[-inf,0]", 1, "infinity"},
                                          {"ball(0)", 6, "radius > 0"},
                                          {"ball(-1)", 6, "radius > 0"},
                                          {"{}", 2, ""},
                                          {"[0,x]", 4, ""},
                                          {"[0, 1 + ]", 9, ""},
                                          {"{1,2/0}", 4, "division by zero"}}) {
    try {
      const Domain d = Domain::parse(bad.text);
      ADD_FAILURE() << bad.text << " was read as " << d;
    } catch (const mercer::ParseError& e) {
      EXPECT_EQ(e.column(), bad.column) << e.what();
      EXPECT_NE(e.line().find(bad.message), std::string::npos) << e.what();
      EXPECT_EQ(e.details().text, bad.text);
    }
  }
}

}  // namespace
