// What holds for every kernel, whichever it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "laws/roster.hpp"
#include "support/matrix.hpp"
#include "support/plain_eval.hpp"
#include "support/random.hpp"

// The name under which failures are reported.
namespace {

using mercer::Kernel;
using Point = std::vector<double>;

// The catalogue's entry, where the text is one call of a named kernel.
const mercer::KernelInfo* named(const std::string& text) {
  const auto* info = mercer::find_kernel(text.substr(0, text.find('(')));
  const bool whole = text.find('(') == std::string::npos || text.find(')') == text.size() - 1;
  return whole ? info : nullptr;
}

// ---- points of the kernel's domain

double lowest(const Member& member) {
  const auto* info = named(member.text);
  return info && info->domain == "R+" ? 0 : -2;
}

Point random_point(Random& random, const Member& member, std::size_t dimension) {
  return random.point(dimension, lowest(member), 2);
}

Point plus(Point a, const Point& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Point times(Point a, double factor) {
  for (auto& v : a) v *= factor;
  return a;
}

// The mirror image of a point, with respect to the plane across `direction`.
Point mirrored(Point a, const Point& direction) {
  double along = 0;
  double squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    along += a[i] * direction[i];
    squared += direction[i] * direction[i];
  }
  return plus(std::move(a), times(direction, -2 * along / squared));
}

// ---- comparisons

bool close(double a, double b, double tolerance = 1e-11) {
  return std::abs(a - b) <= tolerance * (1 + std::max(std::abs(a), std::abs(b)));
}

class Laws : public testing::TestWithParam<Member> {
 protected:
  [[nodiscard]] Kernel kernel() const { return Kernel::parse(GetParam().text); }

  // Whether k stays the same under a change of both points, at all of some random ones.
  template <class Change>
  [[nodiscard]] bool invariant(std::size_t dimension, const Change& change) const {
    Random random(31);
    const Kernel k = kernel();
    for (int i = 0; i < 20; ++i) {
      const Point x = random_point(random, GetParam(), dimension);
      const Point z = random_point(random, GetParam(), dimension);
      // Changed points keep to the domain: both sides of a shift are >= 0 where x and z are.
      const Point by = random.point(dimension, 0.2, 1.5);
      const auto [x2, z2] = change(x, z, by);
      if (!close(k(x, z), k(x2, z2))) return false;
    }
    return true;
  }
};

using Pair = std::pair<Point, Point>;

Pair shifted(const Point& x, const Point& z, const Point& by) { return {plus(x, by), plus(z, by)}; }

Pair reflected(const Point& x, const Point& z, const Point& by) {
  return {mirrored(x, by), mirrored(z, by)};
}

Pair stretched(const Point& x, const Point& z, const Point& by) {
  return {times(x, by[0] + 1), times(z, 1 / (by[0] + 1))};
}

// x·z stays when z moves across x.
Pair sheared(const Point& x, const Point& z, const Point& by) {
  double along = 0;
  double squared = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    along += by[i] * x[i];
    squared += x[i] * x[i];
  }
  return {x, plus(plus(z, by), times(x, -along / squared))};
}

// ---- the laws

TEST_P(Laws, PrintedReadsBack) {
  const Kernel k = kernel();
  EXPECT_EQ(Kernel::parse(k.text()), k) << k.text();
  EXPECT_EQ(Kernel::parse(k.formula()), k) << k.formula();
  EXPECT_EQ(Kernel::parse(k.text()).text(), k.text());
  EXPECT_EQ(Kernel::parse(k.formula()).hash(), k.hash());
}

TEST_P(Laws, ValueIsWhatTheTextSays) {
  if (!GetParam().has_values) GTEST_SKIP();
  const Kernel k = kernel();
  Random random(11);
  for (const std::size_t dimension : {1U, 2U, 3U, 6U}) {
    for (int i = 0; i < 10; ++i) {
      const Point x = random_point(random, GetParam(), dimension);
      const Point z = i == 0 ? x : random_point(random, GetParam(), dimension);
      const plain::Outcome expected = plain::evaluate(GetParam().text, x, z);
      ASSERT_TRUE(expected.value) << expected.why;
      const long double value = expected.value->value;
      const long double tolerance = 32 * 0x1p-53L * (expected.value->scale + std::fabs(value));
      EXPECT_LE(std::fabs(static_cast<long double>(k(x, z)) - value), tolerance)
          << k(x, z) << " instead of " << static_cast<double>(value);
    }
  }
}

TEST_P(Laws, DefinedOnItsDomainWithItsBorder) {
  if (!GetParam().has_values) GTEST_SKIP();
  const Kernel k = kernel();
  Random random(12);
  const Point zero(3, 0.0);
  const Point other = random_point(random, GetParam(), 3);
  EXPECT_NO_THROW(k(zero, zero));
  EXPECT_NO_THROW(k(zero, other));
  EXPECT_NO_THROW(k(other, zero));
  EXPECT_NO_THROW(k(other, other));
}

TEST_P(Laws, SymmetricByForm) {
  if (!GetParam().has_values) GTEST_SKIP();
  const Kernel k = kernel();
  EXPECT_TRUE(mercer::properties(k).symmetric);
  Random random(13);
  for (int i = 0; i < 20; ++i) {
    const Point x = random_point(random, GetParam(), 4);
    const Point z = random_point(random, GetParam(), 4);
    EXPECT_TRUE(close(k(x, z), k(z, x), 1e-14)) << k(x, z) << " and " << k(z, x);
  }
}

TEST_P(Laws, StationaryIfAndOnlyIfClaimed) {
  if (!GetParam().has_values) GTEST_SKIP();
  const bool claimed = mercer::properties(kernel()).stationary;
  const bool holds = invariant(3, shifted);
  EXPECT_TRUE(holds || !claimed);
  EXPECT_TRUE(claimed || !holds || !named(GetParam().text));
}

TEST_P(Laws, IsotropicIfAndOnlyIfClaimed) {
  if (!GetParam().has_values) GTEST_SKIP();
  const bool claimed = mercer::properties(kernel()).isotropic;
  const bool on_all_of_r = lowest(GetParam()) < 0;  // else a mirror leads out of the domain
  const bool holds = invariant(3, shifted) && (!on_all_of_r || invariant(3, reflected));
  EXPECT_TRUE(holds || !claimed);
  EXPECT_TRUE(claimed || !holds || !named(GetParam().text));
}

TEST_P(Laws, FunctionOfTheInnerProductIfAndOnlyIfClaimed) {
  if (!GetParam().has_values) GTEST_SKIP();
  const bool claimed = mercer::properties(kernel()).dot_product;
  const bool on_all_of_r = lowest(GetParam()) < 0;
  const bool holds = invariant(3, stretched) && (!on_all_of_r || invariant(3, sheared));
  EXPECT_TRUE(holds || !claimed);
  EXPECT_TRUE(claimed || !holds || !named(GetParam().text));
}

TEST_P(Laws, GramMatricesArePositiveSemidefinite) {
  if (!GetParam().has_values || !GetParam().is_kernel) GTEST_SKIP();
  const Kernel k = kernel();
  Random random(14);
  for (const std::size_t dimension : {1U, 2U, 5U}) {
    std::vector<Point> points{Point(dimension, 0.0)};
    while (points.size() < 14) points.push_back(random_point(random, GetParam(), dimension));
    const auto spectrum = eigenvalues(fill(
        points.size(), points.size(), [&](auto i, auto j) { return k(points[i], points[j]); }));
    EXPECT_GE(spectrum.front(), -1e-12 * std::max(1.0, spectrum.back()));
  }
}

TEST_P(Laws, RestrictionIsEvaluationOnThePart) {
  if (!GetParam().has_values) GTEST_SKIP();
  const Kernel k = kernel();
  Random random(15);
  for (const std::vector<std::uint32_t>& columns :
       {std::vector<std::uint32_t>{2, 3, 4}, {4, 1}, {3}, {5, 2, 1, 3, 4}}) {
    const Kernel part = k.on(columns);
    std::string suffix;
    for (const auto c : columns) suffix += (suffix.empty() ? "[" : ",") + std::to_string(c);
    EXPECT_EQ(part, Kernel::parse("(" + GetParam().text + ")" + suffix + "]"));
    for (int i = 0; i < 5; ++i) {
      const Point x = random_point(random, GetParam(), 5);
      const Point z = random_point(random, GetParam(), 5);
      Point some_x;
      Point some_z;
      for (const auto c : columns) {
        some_x.push_back(x[c - 1]);
        some_z.push_back(z[c - 1]);
      }
      EXPECT_TRUE(close(part(x, z), k(some_x, some_z), 1e-13))
          << part.text() << ": " << part(x, z) << " and " << k(some_x, some_z);
    }
  }
}

TEST_P(Laws, NormalizedHasUnitDiagonal) {
  if (!GetParam().has_values || !GetParam().is_kernel) GTEST_SKIP();
  const Kernel k = kernel();
  const Kernel unit = mercer::normalize(k);
  EXPECT_EQ(mercer::normalize(unit), unit);
  EXPECT_EQ(unit, Kernel::parse("normalize(" + GetParam().text + ")"));
  Random random(16);
  for (int i = 0; i < 10; ++i) {
    const Point x = random_point(random, GetParam(), 3);
    const Point z = random_point(random, GetParam(), 3);
    EXPECT_NEAR(unit(x, x), k(x, x) == 0 ? 0 : 1, 1e-13);
    const bool zero = k(x, x) == 0 || k(z, z) == 0;
    EXPECT_NEAR(unit(x, z), zero ? 0 : k(x, z) / std::sqrt(k(x, x) * k(z, z)), 1e-12);
  }
  const Point zero(3, 0.0);
  const double at_zero = k(zero, zero);
  EXPECT_NEAR(unit(zero, zero), at_zero == 0 ? 0 : 1, 1e-13);
}

TEST_P(Laws, SameValuesFromSeveralThreads) {
  if (!GetParam().has_values) GTEST_SKIP();
  const Kernel k = kernel();
  Random random(17);
  std::vector<Point> points;
  while (points.size() < 12) points.push_back(random_point(random, GetParam(), 3));
  const auto all_values = [&] {
    std::vector<double> values;
    for (const auto& x : points)
      for (const auto& z : points) values.push_back(k(x, z));
    return values;
  };
  const auto expected = all_values();
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(found.size());
    for (auto& values : found) {
      threads.emplace_back([&] {
        values = all_values();
        EXPECT_EQ(Kernel::parse(k.text()), k);
      });
    }
  }
  for (const auto& values : found) EXPECT_EQ(values, expected);
}

std::string test_name(const testing::TestParamInfo<Member>& info) {
  std::string name = std::to_string(info.index) + "_";
  for (const char c : info.param.text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Roster, Laws, testing::ValuesIn(roster()), test_name);

TEST(Roster, HasEveryNamedKernel) {
  for (const auto& info : mercer::catalogue()) {
    const bool present = std::ranges::any_of(roster(), [&](const Member& member) {
      const auto* found = named(member.text);
      return found && found->name == info.name;
    });
    EXPECT_TRUE(present) << info.name << " does not take part in the laws: add it to roster.hpp";
  }
}

}  // namespace
