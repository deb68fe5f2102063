// φ against k, by the plain evaluator: the texts of the coordinates, multiplied and added up.
#include <mercer/features.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <mercer/equal.hpp>
#include <mercer/error.hpp>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>

#include "support/plain_eval.hpp"
#include "support/random.hpp"
#include "support/random_kernel.hpp"

namespace {

using mercer::Features;
using mercer::Kernel;
using Kind = Features::Kind;

Features of(const std::string& text, std::uint32_t d, std::uint64_t terms = 4) {
  mercer::FeatureOptions options;
  options.terms = terms;
  return mercer::features(Kernel::parse(text, {.dimension = d}), d, options);
}

long double dot(const mercer::FeatureMap& map, const std::vector<double>& x,
                const std::vector<double>& z) {
  long double total = 0;
  for (std::size_t i = 0; i < map.coordinates.size(); ++i)
    total += plain::value(map.text(i), x, x) * plain::value(map.text(i), z, z);
  return total;
}

void expect_gives_back(const std::string& text, std::uint32_t d) {
  const Features f = of(text, d);
  ASSERT_EQ(f.kind, Kind::finite) << text << ": " << f.reason;
  ASSERT_TRUE(f.complete) << text;
  EXPECT_EQ(f.count, std::to_string(f.map.coordinates.size())) << text;
  EXPECT_NE(f.check.kind, Features::Check::Kind::none) << text;
  Random random(7);
  for (int i = 0; i < 10; ++i) {
    const auto x = random.point(d, 0.1, 1.5);
    const auto z = random.point(d, 0.1, 1.5);
    const long double k = plain::value(text, x, z);
    EXPECT_NEAR(static_cast<double>(dot(f.map, x, z)), static_cast<double>(k),
                1e-11 * (1 + std::abs(static_cast<double>(k))))
        << text;
  }
}

std::uint64_t choose(std::uint64_t n, std::uint64_t k) {  // by Pascal's rule
  return k == 0 || k == n ? 1 : choose(n - 1, k - 1) + choose(n - 1, k);
}

TEST(Features, GiveTheKernelBack) {
  for (const char* text : {"x.z",
                           "(1 + x.z)^3",
                           "3",
                           "0.1*x.z + 2",
                           "(x.z)^2 + x.z",
                           "subsets",
                           "anova(2)",
                           "prod(i, 1 + x[i]*z[i] + x[i]^2*z[i]^2)",
                           "linear[1]*linear[2]",
                           "poly(2)[1:2]",
                           "x1*z1 + (x1 + x2)*(z1 + z2)",
                           "cos(x1 - z1)",
                           "cos(2*(x1 - z1))*(1 + x.z)",
                           "sum(i, cos(x[i] - z[i]))",
                           "exp(-|x|^2/2)*(1 + x.z)^2*exp(-|z|^2/2)",
                           "cosine",
                           "normalize(1 + x.z)",
                           "sqrt(x1)*sqrt(z1)",
                           "exp(x1 + z1)",
                           "2*cosh(x1 + z1) + cosh(x1 - z1)",
                           "pi*x.z + sqrt(2)",
                           "(1 + cos(x1 - z1))^2",
                           "(sin(x1) + 1)*(sin(z1) + 1)*x2*z2",
                           "x1*z1 + x2*z2 + x2*z1 + x1*z2"})
    expect_gives_back(text, 2);
  for (const char* text : {"x*z", "(1 + x*z)^4", "cos(x - z)", "exp(x)*exp(z)", "x^2*z^2 + 1"})
    expect_gives_back(text, 1);
}

// Σ p_i(x) p_i(z) for random polynomials is a kernel, however it is written.
TEST(Features, RandomPolynomialKernels) {
  Random random(11);
  for (int i = 0; i < 60; ++i) {
    std::string text;
    const std::size_t parts = 1 + random.below(3);
    for (std::size_t j = 0; j < parts; ++j) {
      std::string x;
      std::string z;
      for (const std::string m : {"1", "x1", "x2", "x1*x2", "x1^2"}) {
        const std::int64_t c = static_cast<std::int64_t>(random.below(7)) - 3;
        if (c == 0) continue;
        std::string other = m;
        for (char& letter : other)
          if (letter == 'x') letter = 'z';
        x += " + (" + std::to_string(c) + ")*" + m;
        z += " + (" + std::to_string(c) + ")*" + other;
      }
      text += (text.empty() ? "" : " + ") + ("(0" + x + ")*(0" + z + ")");
    }
    const Features f = of(text, 2);
    ASSERT_EQ(f.kind, Kind::finite) << text;
    EXPECT_EQ(f.check.kind, Features::Check::Kind::exact) << text;
    EXPECT_TRUE(f.minimal) << text;
    EXPECT_LE(f.map.coordinates.size(), parts) << text;
    expect_gives_back(text, 2);
  }
}

// A polynomial has a feature map exactly where it is a kernel.
TEST(Features, AgreeWithProofs) {
  Random random(5);
  for (int i = 0; i < 150; ++i) {
    const std::string text = random_polynomial_text(random, 2, 6);
    const Kernel k = Kernel::parse(text, {.dimension = 2});
    mercer::ProofOptions options;
    options.dimension = 2;
    const auto verdict = mercer::prove(k, options).kind;
    const Features f = mercer::features(k, 2);
    if (verdict == mercer::Verdict::Kind::kernel) {
      EXPECT_EQ(f.kind, Kind::finite) << text;
    } else if (verdict == mercer::Verdict::Kind::not_a_kernel) {
      EXPECT_EQ(f.kind, Kind::none) << text;
    }
  }
}

TEST(Features, CountedByFormulaAsWrittenOut) {
  for (std::uint32_t d = 1; d <= 5; ++d)
    for (std::uint32_t p = 1; p <= 5; ++p) {
      const std::string degree = std::to_string(p);
      const Features all = of("(1 + x.z)^" + degree, d);
      EXPECT_EQ(all.count, std::to_string(choose(d + p, p)));
      EXPECT_EQ(all.map.coordinates.size(), choose(d + p, p));
      EXPECT_TRUE(all.minimal);
      EXPECT_EQ(all.check.kind, Features::Check::Kind::exact);
      const Features pure = of("(x.z)^" + degree, d);
      EXPECT_EQ(pure.map.coordinates.size(), choose(d + p - 1, p));
      const Features sets = of("anova(" + degree + ")", d);
      EXPECT_EQ(sets.map.coordinates.size(), p > d ? 0 : choose(d, p));
    }
}

TEST(Features, CountedWhereWritingOutIsHopeless) {
  const Features f = of("(1 + x.z)^10", 100);
  EXPECT_EQ(f.count, "46897636623981");
  EXPECT_TRUE(f.minimal);
  EXPECT_FALSE(f.complete);
  EXPECT_EQ(of("subsets", 200).count,
            "1606938044258990275541962092341162602522202993782792835301376");
  EXPECT_EQ(of("subsets", 2'000'000).count, "2^2000000");
  EXPECT_EQ(of("(1 + x.z)^2*cos(x1 - z1)", 100'000).count, "10000300002");
  EXPECT_EQ(of("(1 + x.z)^300", 3).count, std::to_string(303ULL * 302 * 301 / 6));
}

// The first ones are the same, however many are asked for.
TEST(Features, FirstOnes) {
  for (const char* text : {"(1 + x.z)^3", "subsets", "anova(2)", "(1 + cos(x1 - z1))^2*subsets",
                           "rbf(0.5)*x.z", "(1 + sum(i, cos(x[i] - z[i])))^3"}) {
    const Kernel k = Kernel::parse(text);
    mercer::FeatureOptions options;
    const Features all = mercer::features(k, 4, options);
    ASSERT_TRUE(all.complete) << text;
    for (const std::size_t n : {0UL, 1UL, 2UL, 5UL, 9UL}) {
      options.coordinates = n;
      const Features some = mercer::features(k, 4, options);
      EXPECT_EQ(some.count, all.count);
      const std::size_t shown = std::min(n, all.map.coordinates.size());
      ASSERT_EQ(some.map.coordinates.size(), shown) << text;
      for (std::size_t i = 0; i < shown; ++i) EXPECT_EQ(some.map.text(i), all.map.text(i)) << text;
    }
  }
}

TEST(Features, SumsAreSideBySideAndProductsAreAllPairs) {
  const auto count = [](const std::string& text) { return std::stoul(of(text, 3).count); };
  const std::string a = "cos(x1 - z1)";
  const std::string b = "(1 + x.z)^2*sin(x2)*sin(z2)";
  EXPECT_EQ(count(a + " + " + b), count(a) + count(b));
  EXPECT_EQ(count(a + " * " + b), count(a) * count(b));
  EXPECT_EQ(count("exp(-|x|^2)*(" + b + ")*exp(-|z|^2)"), count(b));
}

TEST(Features, InfiniteOnesStayBelowTheirTail) {
  Random random(3);
  for (const char* text : {"rbf(0.5)",
                           "rbf(2)",
                           "exp(x.z)",
                           "exp(-|x-z|^2)*(1 + x.z)^2 + 0.1*x.z",
                           "cosh(x.z)",
                           "sinh(x.z)",
                           "1/(1 - x.z)",
                           "(1 - x.z)^-0.5",
                           "(2 - x.z)^-3",
                           "-log(1 - x.z)",
                           "asin(x.z)",
                           "exp(rbf(1))",
                           "rbf(1)^3*exp(x1*z1)",
                           "periodic(2)",
                           "periodic(1.5, length=2)",
                           "normalize(exp(x.z) + 1)",
                           "sum(i, exp(x[i]*z[i]))",
                           "prod(i, 1 + exp(x[i]*z[i]))",
                           "(rbf(1) + x.z)^2",
                           "2^(x.z)",
                           "exp((1 + x.z)^2)",
                           "cosh(x.z)*exp(-|x|^2)*exp(-|z|^2)",
                           "exp(cos(x1 - z1))",
                           "-2*log(3 - x.z) + 3"})
    for (std::uint64_t terms = 1; terms <= 5; ++terms) {
      const Features f = of(text, 2, terms);
      ASSERT_EQ(f.kind, Kind::infinite) << text << ": " << f.reason;
      ASSERT_TRUE(f.tail) << text;
      if (!f.complete) continue;
      for (int i = 0; i < 6; ++i) {
        const auto x = random.point(2, -0.65, 0.65);
        const auto z = i == 0 ? x : random.point(2, -0.65, 0.65);
        const auto k = static_cast<double>(plain::value(text, x, z));
        const double bound = (*f.tail)(x, z);
        EXPECT_LE(std::abs(k - static_cast<double>(dot(f.map, x, z))), bound * (1 + 1e-12) + 1e-12)
            << text << ", " << terms << " terms";
        EXPECT_LE(bound, f.tail_on_unit_ball.value_or(bound) * (1 + 1e-12));
      }
    }
}

// More terms: a smaller tail, that goes to 0.
TEST(Features, TailsShrink) {
  const std::vector<double> x{0.6, -0.3};
  const std::vector<double> z{0.5, 0.4};
  for (const char* text : {"rbf(0.5)", "exp(x.z)", "1/(1 - x.z)", "cosh(x.z)", "-log(1 - x.z)"}) {
    double last = 1e300;
    for (const std::uint64_t terms : {1UL, 4UL, 8UL, 16UL}) {
      const double bound = (*of(text, 2, terms).tail)(x, z);
      EXPECT_LT(bound, last) << text;
      last = bound;
    }
    EXPECT_LT(last, 1e-3) << text;
  }
}

TEST(Features, NoneForWhatIsNoKernel) {
  for (const char* text : {"-x.z", "x.z - 1", "(x.z)^2 - x.z", "x1*z2", "x1*z1 - x2*z2",
                           "x1*z2 + x2*z1", "|x-z|^2", "x1", "(1 - x.z)^3"}) {
    const Features f = of(text, 2);
    EXPECT_EQ(f.kind, Kind::none) << text;
    EXPECT_NE(f.reason, "") << text;
  }
}

TEST(Features, UnknownIsSaid) {
  for (const char* text : {"laplacian", "matern(1.5)", "rq", "min(x,z)", "chi2", "tanh(x.z)"}) {
    const Features f = of(text, 2);
    EXPECT_EQ(f.kind, Kind::unknown) << text;
    EXPECT_NE(f.reason, "") << text;
  }
  EXPECT_TRUE(of("laplacian", 2).known_infinite);
}

// Whatever is found for a random expression passes its own check, which throws otherwise, and what
// has a map has no negative Gram determinant at two points.
TEST(Features, OfRandomExpressions) {
  Random random(23);
  std::size_t found = 0;
  for (int i = 0; i < 800; ++i) {
    RandomKernelOptions options;
    options.dimension = 1 + static_cast<std::uint32_t>(random.below(3));
    options.numbers = options.dimension == 1 && random.one_in(2);
    options.size = 3 + static_cast<int>(random.below(6));
    const std::string text = random_kernel_text(random, options);
    mercer::FeatureOptions limits;
    limits.terms = 1 + random.below(3);
    limits.coordinates = 200;
    Features f;
    try {
      f = mercer::features(Kernel::parse(text), options.dimension, limits);
    } catch (const mercer::Error&) {
      continue;  // makes no sense in the dimension
    }
    if (f.kind != Kind::finite && f.kind != Kind::infinite) continue;
    ++found;
    const auto x = random.point(options.dimension, 0.1, 0.9);
    const auto z = random.point(options.dimension, 0.1, 0.9);
    const auto xx = plain::evaluate(text, x, x);
    const auto xz = plain::evaluate(text, x, z);
    const auto zz = plain::evaluate(text, z, z);
    if (!xx.value || !xz.value || !zz.value) continue;
    const long double size = xx.value->value * zz.value->value;
    EXPECT_GE(size - xz.value->value * xz.value->value, -1e-9L * (1 + std::abs(size))) << text;
  }
  EXPECT_GT(found, 20U);
}

TEST(Features, Mistakes) {
  EXPECT_THROW(of("x1*z1 + x3*z3", 2), mercer::Error);
  EXPECT_THROW(mercer::features(mercer::linear(), 0), mercer::Error);
  EXPECT_THROW(mercer::features(Kernel::parse("rbf(?)"), 2), mercer::Error);
  EXPECT_THROW(mercer::features(Kernel::parse("linear[\"age\"]"), 2), mercer::Error);
  EXPECT_THROW(mercer::features(mercer::precomputed(), 2), mercer::Error);
  EXPECT_THROW(of("rbf(1)", 2, 0), mercer::Error);
}

}  // namespace
