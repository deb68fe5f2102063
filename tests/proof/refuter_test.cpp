// Witnesses: recomputed here in doubles from their text, in the domain, in order, and short enough
// for a person to check.
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>
#include <ostream>

namespace {

using mercer::Domain;
using mercer::Kernel;
using mercer::Verdict;
using mercer::Witness;

struct Case {
  const char* text;
  const char* domain;
  std::uint32_t dimension;  // 0: every one
  std::size_t points;       // at most
  std::size_t characters;   // in all numbers together, at most
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.text << " over " << c.domain;
  if (c.dimension > 0) *out << " in dimension " << c.dimension;
}

Verdict judge(const std::string& text, const std::string& domain, std::uint32_t dimension) {
  mercer::ProofOptions options;
  options.domain = Domain::parse(domain);
  if (dimension > 0) options.dimension = dimension;
  return mercer::prove(Kernel::parse(text, {.dimension = options.dimension}), options);
}

double number(const std::string& fraction) {
  const auto bar = fraction.find('/');
  if (bar == std::string::npos) return std::stod(fraction);
  return std::stod(fraction.substr(0, bar)) / std::stod(fraction.substr(bar + 1));
}

std::vector<double> numbers(const std::vector<std::string>& texts) {
  std::vector<double> result;
  result.reserve(texts.size());
  for (const auto& t : texts) result.push_back(number(t));
  return result;
}

std::size_t characters(const Witness& w) {
  std::size_t total = 0;
  for (const auto& p : w.points)
    for (const auto& v : p) total += v.size();
  for (const auto& a : w.coefficients) total += a.size();
  return total;
}

// The sum, and the size of what was added up.
std::pair<double, double> recomputed(const Kernel& k, const Witness& w) {
  const auto a = numbers(w.coefficients);
  double total = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double term = a[i] * a[j] * k(numbers(w.points[i]), numbers(w.points[j]));
      total += term;
      size += std::abs(term);
    }
  return {total, size};
}

class Witnesses : public testing::TestWithParam<Case> {};

TEST_P(Witnesses, AreShortAndRight) {
  const auto& [text, domain, dimension, points, most] = GetParam();
  const Verdict v = judge(text, domain, dimension);
  ASSERT_EQ(v.kind, Verdict::Kind::not_a_kernel);
  ASSERT_TRUE(v.witness.has_value());
  const Witness& w = *v.witness;
  ASSERT_EQ(w.points.size(), w.coefficients.size());
  EXPECT_LE(w.points.size(), points);
  EXPECT_LE(characters(w), most);
  if (dimension > 0) {
    EXPECT_EQ(w.dimension, dimension);
  }

  const Domain where = Domain::parse(domain);
  for (std::size_t i = 0; i < w.points.size(); ++i) {
    EXPECT_EQ(w.points[i].size(), w.dimension);
    EXPECT_TRUE(where.contains(numbers(w.points[i])));
    EXPECT_NE(number(w.coefficients[i]), 0);
    if (i > 0) {
      EXPECT_LT(numbers(w.points[i - 1]), numbers(w.points[i])) << "not in order";
    }
  }
  EXPECT_GT(number(w.coefficients[0]), 0);

  const Kernel k = Kernel::parse(text, {.dimension = w.dimension});
  const auto [total, size] = recomputed(k, w);
  EXPECT_LT(number(w.bound), 0);
  EXPECT_LT(total, 1e-12 * (1 + size));  // doubles cannot see the tiniest
  EXPECT_NEAR(total, number(w.bound), 1e-9 * (1 + size));
}

INSTANTIATE_TEST_SUITE_P(OnePoint, Witnesses,
                         testing::Values(Case{"1/(x+z) - 0.000001", "N", 1, 1, 8},
                                         Case{"1/(x+z) - 0.000001", "R++", 1, 1, 8},
                                         Case{"1/max(x,z) - 1.000001", "(0,1)", 1, 1, 18},
                                         Case{"x.z - 1", "R", 0, 1, 2}, Case{"-1", "R", 0, 1, 2},
                                         Case{"sinh(x.z) - 1.000001*x.z", "R", 0, 1, 6}));

INSTANTIATE_TEST_SUITE_P(
    FewPoints, Witnesses,
    testing::Values(Case{"|x-z|", "R", 0, 2, 5}, Case{"tanh(x.z)", "R", 0, 3, 12},
                    Case{"max(x,z)", "R+", 1, 2, 5}, Case{"exp(-|x-z|^3)", "R", 1, 3, 9},
                    Case{"(x.z - 1)^2", "R", 0, 2, 5}, Case{"sum(i, x[i] + z[i])", "R", 0, 2, 5},
                    Case{"min(x,z)", "Z", 1, 1, 3}, Case{"exp(-|x-z|_1^2)", "R", 2, 4, 20},
                    Case{"exp(-|x-z|_1^1.5)", "R", 0, 4, 22},
                    Case{"exp(-|x-z|^2*|x+z|^2)", "R", 3, 4, 26},
                    Case{"(1+x.z)^2.5", "ball(0.9)", 0, 5, 25}, Case{"|x.z|^3", "R", 0, 6, 32},
                    Case{"cosine^0.5", "R++", 2, 3, 14},
                    Case{"x1*z1 + x2*z2 + 1.000000000000000000001*(x1*z2+x2*z1)", "R", 2, 2, 8},
                    Case{"exp(-max(|x1-z1|,|x2-z2|,|x3-z3|))", "R", 3, 8, 60},
                    Case{"0.01 - |x-z|^1.5", "{0.1,0.2,0.9}", 2, 2, 20}));

INSTANTIATE_TEST_SUITE_P(ManyPoints, Witnesses,
                         testing::Values(Case{"exp(-|x-z|) - 0.1", "R", 1, 11, 40},
                                         Case{"1/(1+|x-z|) - 0.1", "R", 1, 11, 60},
                                         Case{"exp(-|x-z|) - 0.001", "R", 1, 1010, 7000},
                                         Case{"(1-|x-z|)*exp(-|x-z|)", "R", 2, 16, 60},
                                         Case{"max(0,1-|x-z|)", "R", 2, 25, 250},
                                         Case{"(1+(x-z)^2)*exp(-|x-z|)", "R", 1, 20, 110},
                                         Case{"exp(-2*(x-z)^2) - 0.71*exp(-(x-z)^2)", "R", 1, 24,
                                              160},
                                         Case{"exp(-|x-z|) - 0.6*exp(-(x-z)^2)", "R", 1, 600, 5000},
                                         Case{"rbf(2) - 0.70711*rbf(1)", "R", 1, 1200, 12'000},
                                         Case{"0.166666 - |x-z| + (x-z)^2", "[0,1]", 1, 600, 8000},
                                         Case{"1.33 - |x-z|", "sphere", 3, 60, 700},
                                         Case{"exp(x.z) - 1.18", "sphere", 3, 12, 120},
                                         Case{"1/(2-x.z) - 0.55", "sphere", 3, 20, 200}));

INSTANTIATE_TEST_SUITE_P(ManyDimensions, Witnesses,
                         testing::Values(Case{"(x.z)^2 - 0.1", "sphere", 0, 11, 140},
                                         Case{"1.41 - |x-z|", "sphere", 0, 200, 21000},
                                         Case{"rbf(2) - 0.5*rbf(1)", "R", 0, 20, 120}));

TEST(Witness, OfAStationaryKernelStartsAtZero) {
  for (const char* text : {"exp(-|x-z|^3)", "exp(-|x-z|) - 0.1", "1/(1+|x-z|) - 0.1",
                           "exp(-|x-z|) - 0.6*exp(-(x-z)^2)"}) {
    const Verdict v = judge(text, "R", 1);
    ASSERT_TRUE(v.witness.has_value()) << text;
    EXPECT_EQ(v.witness->points[0][0], "0") << text;
  }
}

TEST(Witness, IsTheSameEveryTime) {
  for (const char* text : {"|x.z|^3", "exp(-|x-z|^2*|x+z|^2)"}) {
    const Verdict a = judge(text, "R", 0);
    const Verdict b = judge(text, "R", 0);
    ASSERT_TRUE(a.witness && b.witness);
    EXPECT_EQ(a.witness->points, b.witness->points);
    EXPECT_EQ(a.witness->coefficients, b.witness->coefficients);
  }
}

// Differences too small for the points that are tried: no witness, and no guess.
TEST(Witness, IsNotInvented) {
  const Verdict v = judge("rbf(1) - 0.000001", "R", 1);
  EXPECT_NE(v.kind, Verdict::Kind::kernel);
}

// Large entries are scaled away before an eigenvalue is reported.
TEST(SmallestEigenvalue, IsOfMatricesWithOnesOnTheDiagonal) {
  for (const char* text : {"1/(2 + sin(x.z))", "normalize(exp(x.z)) - rbf(0.5)",
                           "asin(2*x.z/sqrt((1+2*|x|^2)*(1+2*|z|^2)))"}) {
    const Verdict v = judge(text, "R", 0);
    if (v.kind != Verdict::Kind::unknown || !v.smallest_eigenvalue) continue;
    EXPECT_GE(*v.smallest_eigenvalue, -1e-9) << text;
    EXPECT_LE(*v.smallest_eigenvalue, 1) << text;
  }
}

}  // namespace
