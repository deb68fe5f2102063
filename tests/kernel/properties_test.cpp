// What the form of a kernel says about it, against known answers and against numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/matrix.hpp"
#include "support/plain_eval.hpp"
#include "support/random_kernel.hpp"

namespace {

using mercer::Kernel;
using mercer::Properties;
using Kind = Properties::FeatureSpace::Kind;
using Point = std::vector<double>;

Properties of(const std::string& text, std::optional<std::uint32_t> dimension = std::nullopt) {
  return mercer::properties(Kernel::parse(text), dimension);
}

struct Expected {
  std::string text;
  bool symmetric;
  bool dot_product;
  bool stationary;
  bool isotropic;
};

TEST(Properties, Invariances) {
  for (const auto& e : std::vector<Expected>{
           {"linear", true, true, false, false},
           {"poly(2)", true, true, false, false},
           {"exp(x.z)", true, true, false, false},
           {"sigmoid", true, true, false, false},
           {"1 + x.z + (x.z)^2/2", true, true, false, false},
           {"rbf(1)", true, false, true, true},
           {"exp(-|x-z|^3)", true, false, true, true},
           {"matern(0.7)", true, false, true, true},
           {"matern", true, false, true, true},
           {"rq(2)", true, false, true, true},
           {"rbf(1)*rq(2) + 3", true, false, true, true},
           {"laplacian", true, false, true, false},
           {"periodic", true, false, true, false},
           {"cos(x1 - z1)", true, false, true, false},
           {"sin(x1 - z1)", false, false, true, false},
           {"exp(-(x1-z1)^2 - 2*(x2-z2)^2)", true, false, true, false},
           {"rbf(1)[1:2]", true, false, true, false},
           {"linear[1:2]", true, false, false, false},
           {"cosine", true, false, false, false},
           {"intersection", true, false, false, false},
           {"chi2", true, false, false, false},
           {"subsets", true, false, false, false},
           {"anova(2)", true, false, false, false},
           {"const(3)", true, true, true, true},
           {"x1*z1", true, false, false, false},
           {"x1*z2", false, false, false, false},
           {"x1*z2 + x2*z1", true, false, false, false},
           {"x1 + z1", true, false, false, false},
           {"x1 - z1", false, false, true, false},
           {"|x|*|z|", true, false, false, false},
           {"|x|", false, false, false, false},
           {"exp(-|x|^2)*linear*exp(-|z|^2)", true, false, false, false},
           {"|x+z|", true, false, false, false},
           {"normalize(1 + x.z)", true, false, false, false},
           {"min(x.z, rbf(1))", true, false, false, false},
           {"max(x1, z1)", true, false, false, false},
           {"max(x1, z2)", false, false, false, false},
           {"precomputed", false, false, false, false},
       }) {
    const Properties p = of(e.text);
    EXPECT_EQ(p.symmetric, e.symmetric) << e.text;
    EXPECT_EQ(p.dot_product, e.dot_product) << e.text;
    EXPECT_EQ(p.stationary, e.stationary) << e.text;
    EXPECT_EQ(p.isotropic, e.isotropic) << e.text;
  }
}

TEST(Properties, InDimensionOneMoreIsTheSame) {
  EXPECT_TRUE(of("exp(-(x-z)^2)").isotropic);
  EXPECT_TRUE(of("exp(-abs(x-z))").isotropic);
  EXPECT_TRUE(of("laplacian", 1).isotropic);
  EXPECT_FALSE(of("laplacian", 2).isotropic);
  EXPECT_TRUE(of("exp(x*z)").dot_product);
  EXPECT_TRUE(of("subsets", 1).dot_product);
  EXPECT_FALSE(of("subsets", 2).dot_product);
}

TEST(Properties, Degree) {
  for (const auto& [text, degree] : std::vector<std::pair<std::string, std::optional<std::string>>>{
           {"linear", "1"},
           {"poly(3)", "3"},
           {"poly(2)*linear", "3"},
           {"x1^2*z1", "2"},
           {"x1*z1^4", "4"},
           {"x1 + z1", "1"},
           {"7", "0"},
           {"|x-z|^2", "2"},
           {"|x-z|^4", "4"},
           {"anova(3)", "3"},
           {"subsets", "d"},
           {"subsets^2", "2*d"},
           {"subsets*linear", "d + 1"},
           {"subsets[1:4]", "4"},
           {"sum(i, x[i]^5*z[i])", "5"},
           {"rbf(1)", std::nullopt},
           {"|x-z|", std::nullopt},
           {"1/x1", std::nullopt},
           {"sqrt(2)*x1*z1", "1"},
           {"pi*x.z", "1"},
           {"abs(x1)", std::nullopt},
           {"min(x1, z1)", std::nullopt},
           {"cosine", std::nullopt},
           {"0", "0"}})
    EXPECT_EQ(of(text).degree, degree) << text;
  EXPECT_EQ(of("subsets", 5).degree, "5");
  EXPECT_EQ(of("x^3*z").degree, "3");
}

// ---- the number of features

void expect_exactly(const std::string& text, const std::string& count,
                    std::optional<std::uint32_t> dimension = std::nullopt) {
  const auto features = of(text, dimension).features;
  EXPECT_EQ(features.kind, Kind::exactly) << text << " " << features.count;
  EXPECT_EQ(features.count, count) << text;
}

TEST(Properties, CountsOfFeatures) {
  expect_exactly("poly(2)", "6", 2);
  expect_exactly("linear", "7", 7);
  expect_exactly("linear", "d");
  expect_exactly("subsets", "2^d");
  expect_exactly("subsets", "32", 5);
  expect_exactly("anova(2)", "10", 5);
  expect_exactly("anova(3)", "C(d, 3)");
  expect_exactly("anova(3)", "0", 2);
  expect_exactly("poly(3)", "C(d+3, 3)");
  expect_exactly("(1 + x.z)^10", "46897636623981", 100);  // C(110, 10)
  expect_exactly("(x.z)^3", "10", 3);                     // C(5, 3)
  expect_exactly("1 + (x.z)^2", "7", 3);
  expect_exactly("const(2)", "1");
  expect_exactly("0", "0");
  expect_exactly("x1*z1", "1");
  expect_exactly("exp(x+z)", "1");
  expect_exactly("cos(x-z)", "2");
  expect_exactly("cos(x1 - z1)", "2");
  expect_exactly("x1*z1 + x2*z2 + x3*z3 + x2*z3 + x3*z2", "2");
  expect_exactly("x1*z1 + x1*z2 + x2*z1 + x2*z2", "1");
  expect_exactly("(x1 - z1)^2", "3");
  expect_exactly("|x-z|^2", "4", 2);
  expect_exactly("exp(x1)*exp(z1)*linear", "3", 3);
  expect_exactly("cosine", "d");
  expect_exactly("linear[2:4]", "3");
  expect_exactly("poly(2)[1,3]", "6");
  expect_exactly("x1 + z1", "2");
  expect_exactly("linear + x1*z1", "3", 3);
  expect_exactly("x*z + x^2*z^2", "2");
}

TEST(Properties, InfinitelyManyFeatures) {
  for (const char* text :
       {"rbf(1)",        "laplacian",       "matern",        "matern(0.7)",  "rq",
        "periodic",      "sigmoid",         "exp(x.z)",      "intersection", "chi2",
        "rbf(1)*linear", "rbf(1) + linear", "min(x1, z1)",   "cosh(x.z)",    "1/(1 + |x-z|^2)",
        "rbf(1)[1:2]",   "log(2 + x.z)",    "sqrt(1 + x.z)", "2*rbf(1)",     "x1*rbf(1)*z1"})
    EXPECT_EQ(of(text).features.kind, Kind::infinite) << text;
}

// Functions whose form looks rich but which are not: a claim must not fall for them.
TEST(Properties, CountsAreNeverTooHigh) {
  const auto may_be = [](const std::string& text, int true_count) {
    const auto features = of(text).features;
    EXPECT_NE(features.kind, Kind::infinite) << text;
    EXPECT_TRUE(features.kind != Kind::exactly || features.count == std::to_string(true_count))
        << text << " is claimed to have exactly " << features.count;
  };
  may_be("sum(i, exp(x[i]+z1))", 1);
  may_be("min(exp(x1), -exp(z1))", 1);
  may_be("max(|x1|, -|z1|)", 1);
  may_be("min(x1/|x1|, z1)", 2);
  may_be("0*log(x1+z1) + x1*z1", 1);
  may_be("0*log(x1) + z1", 1);
  may_be("tanh(x1/x1 + z1)", 1);
  may_be("cos(x1/x1 + z1)", 1);
  may_be("log(exp(x1)*exp(z1))", 2);
  may_be("exp(log(2 + cos(x1)) + log(2 + cos(z1)))", 1);
  may_be("cosh(x1+z1) - sinh(x1+z1)", 1);
  may_be("(x.z)^2 - sum(i, sum(j, x[i]*z[i]*x[j]*z[j]))", 0);
  may_be("rbf(1) - exp(-|x|^2)*exp(2*x.z)*exp(-|z|^2)", 0);
  may_be("sin(x1 - z1)^2 + cos(x1 - z1)^2", 1);
  may_be("|x1*z1| - |x1|*|z1|", 0);
  may_be("max(x1, z1) + min(x1, z1)", 2);
  may_be("(x1 + z1)^-1*(x1 + z1)", 1);
  may_be("sqrt((x1 + z1)^2)*sqrt((x1 + z1)^2)", 3);
  const auto in_d = of("prod(i, cos(x[i]+z1))", 3).features;
  EXPECT_TRUE(in_d.kind != Kind::exactly || in_d.count == "4") << in_d.count;
}

std::optional<std::size_t> finite_count(const Kernel& k, std::uint32_t dimension) {
  const auto features = mercer::properties(k, dimension).features;
  const bool finite = features.kind == Kind::exactly || features.kind == Kind::at_most;
  if (!finite || features.count.empty() || features.count.size() > 4) return std::nullopt;
  if (!std::ranges::all_of(features.count, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return std::stoul(features.count);
}

// A block of kernel values on different points in rows and columns has at most that rank, and
// exactly that where the count is exact.
TEST(Properties, RanksAgreeWithClaims) {
  Random random(55);
  int decided = 0;
  int exact = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto dimension = static_cast<std::uint32_t>(1 + random.below(3));
    const std::string text =
        random_polynomial_text(random, dimension, 1 + static_cast<int>(random.below(6)));
    const Kernel k = Kernel::parse(text);
    if (k.least_dimension() > dimension) continue;
    const auto count = finite_count(k, dimension);
    if (!count || *count > 25) continue;
    std::vector<Point> rows;
    std::vector<Point> columns;
    for (std::size_t j = 0; j < *count + 4; ++j) {
      rows.push_back(random.point(dimension, -1.5, 1.5));
      columns.push_back(random.point(dimension, -1.5, 1.5));
    }
    const auto found = pivots(
        fill(rows.size(), columns.size(), [&](auto a, auto b) { return k(rows[a], columns[b]); }));
    const double scale = std::max(found[0], 1e-3);
    EXPECT_LE(found[*count], 1e-9 * scale) << text << " is claimed to have " << *count;
    ++decided;
    if (mercer::properties(k, dimension).features.kind == Kind::exactly && *count > 0 &&
        *count <= 8) {
      EXPECT_GT(found[*count - 1], 1e-12 * scale) << text << " has fewer than " << *count;
      ++exact;
    }
  }
  EXPECT_GT(decided, 700);
  EXPECT_GT(exact, 300);
}

// ---- where it is defined

TEST(Properties, DefinedOn) {
  for (const auto& [text, domain] :
       std::vector<std::pair<std::string, std::string>>{{"linear", "R"},
                                                        {"rbf(1)", "R"},
                                                        {"cosine", "R"},
                                                        {"log(1 + x.x)", "R"},
                                                        {"1/(1 + |x-z|)", "R"},
                                                        {"sqrt(x1)*sqrt(z1)", "R+"},
                                                        {"chi2", "R+"},
                                                        {"log(x1) + log(z1)", "R++"},
                                                        {"1/x1", "R++"},
                                                        {"log(1 + x.z)", "R+"},
                                                        {"1/(1 - x.z)", "-"},
                                                        {"log(2 - x1)", "(-1,1)"},
                                                        {"sqrt(1 - |x|^2)", "ball(1)"},
                                                        {"asin(cosine)", "R"},
                                                        {"log(-1 - x1^2)", "-"},
                                                        {"x1^z1", "R++"},
                                                        {"normalize(poly(2))", "R"},
                                                        {"asin(x1)", "(-1,1)"}}) {
    const Properties p = of(text);
    EXPECT_EQ(p.defined_on ? p.defined_on->text() : "-", domain) << text;
    EXPECT_EQ(p.conditions.empty(), domain == "R") << text;
  }
}

TEST(Properties, ConditionsSayWhatIsNeeded) {
  const auto first = [](const std::string& text) {
    const auto conditions = of(text).conditions;
    return conditions.empty() ? "none" : conditions[0];
  };
  EXPECT_EQ(first("log(x1)"), "x1 > 0");
  EXPECT_EQ(first("sqrt(z2)"), "z2 >= 0");
  EXPECT_EQ(first("1/x1"), "x1 != 0");
  EXPECT_EQ(first("rbf(1)"), "none");
  EXPECT_EQ(of("log(x1)*log(x1) + 1/log(x1)").conditions.size(), 2U);
}

// Where a domain is claimed, every point of it has a value, unless that leaves the range of
// doubles.
TEST(Properties, DefinedWhereClaimed) {
  Random random(56);
  int claimed = 0;
  for (int i = 0; i < 6000; ++i) {
    RandomKernelOptions options;
    options.numbers = i % 2 == 0;
    options.dimension = options.numbers ? 1 : 3;
    options.size = 1 + static_cast<int>(random.below(8));
    const std::string text = random_kernel_text(random, options);
    std::optional<Kernel> k;
    try {
      k = Kernel::parse(text);
    } catch (const mercer::ParseError&) {  // undefined everywhere
      continue;
    }
    Properties p;
    try {
      p = mercer::properties(*k, options.dimension);
    } catch (const mercer::Error&) {  // undefined everywhere in this dimension, as 1/anova(2) in 1
      continue;
    }
    if (!p.defined_on) continue;
    ++claimed;
    const std::string domain = p.defined_on->text();
    const double low = domain == "R" ? -3 : domain == "R+" ? 0 : domain == "R++" ? 0.5 : -0.5;
    const double high = low == -0.5 ? 0.5 : 3;
    for (int j = 0; j < 6; ++j) {
      const Point x = j % 2 == 0 ? random.point(options.dimension, low, high)
                                 : random.round_point(options.dimension, low, high);
      const Point z = j == 1  ? x
                      : j < 4 ? random.point(options.dimension, low, high)
                              : random.round_point(options.dimension, low, high);
      if (!p.defined_on->contains(x) || !p.defined_on->contains(z)) continue;
      try {
        static_cast<void>((*k)(x, z));
      } catch (const mercer::EvaluationError& e) {
        const bool out_of_range = plain::evaluate(text, x, z).doubtful;
        EXPECT_TRUE(out_of_range) << text << " is " << k->text() << ", claimed to be defined on "
                                  << domain << "\n"
                                  << e.what();
      }
    }
  }
  EXPECT_GT(claimed, 3000);
}

TEST(Properties, InvariancesOfRandomKernelsHold) {
  Random random(57);
  int checked = 0;
  for (int i = 0; i < 20'000; ++i) {
    RandomKernelOptions options;
    options.dimension = 2;
    options.size = 1 + static_cast<int>(random.below(5));
    const std::string text = random_kernel_text(random, options);
    std::optional<Kernel> k;
    try {
      k = Kernel::parse(text);
    } catch (const mercer::ParseError&) {  // undefined everywhere
      continue;
    }
    const Properties p = mercer::properties(*k);
    const Point x = random.point(2, 0.3, 2);
    const Point z = random.point(2, 0.3, 2);
    const auto same = [&](const Point& x2, const Point& z2, const char* claim) {
      try {
        const double a = (*k)(x, z);
        const double b = (*k)(x2, z2);
        const plain::Outcome at_a = plain::evaluate(text, x, z);
        const plain::Outcome at_b = plain::evaluate(text, x2, z2);
        if (!at_a.value || !at_b.value || at_a.doubtful || at_b.doubtful) return;
        const auto scale = static_cast<double>(at_a.value->scale + at_b.value->scale);
        if (scale > 1e10) return;  // next to a pole, or of digits that mean nothing
        EXPECT_NEAR(a, b, 1e-14 * (1 + scale)) << text << " is claimed to be " << claim;
        ++checked;
      } catch (const mercer::EvaluationError&) {  // undefined there
      }
    };
    const double t = random.uniform(0.1, 1);
    const Point xt{x[0] + t, x[1] + 2 * t};
    const Point zt{z[0] + t, z[1] + 2 * t};
    if (p.symmetric) same(z, x, "symmetric");
    if (p.stationary) same(xt, zt, "stationary");
    if (p.isotropic) same({xt[1], xt[0]}, {zt[1], zt[0]}, "isotropic");
    if (p.isotropic) same({-x[0], x[1]}, {-z[0], z[1]}, "isotropic");
    if (p.dot_product) same({2 * x[0], 2 * x[1]}, {z[0] / 2, z[1] / 2}, "a function of x.z");
    if (p.dot_product) same(x, {z[0] + t * x[1], z[1] - t * x[0]}, "a function of x.z");
  }
  EXPECT_GT(checked, 8000);
}

TEST(Properties, OfOpenKernels) {
  const Properties p = of("rbf(gamma=?)");
  EXPECT_TRUE(p.symmetric && p.stationary && p.isotropic && !p.dot_product);
  EXPECT_EQ(p.features.kind, Kind::infinite);
  const Properties q = of("poly(degree=?[1,5])");
  EXPECT_TRUE(q.symmetric && q.dot_product && !q.stationary);
  EXPECT_FALSE(q.degree);
}

TEST(Properties, WrongDimensionIsAnError) {
  EXPECT_THROW(of("x3*z3", 2), mercer::Error);
  EXPECT_THROW(of("x*z", 2), mercer::Error);
  EXPECT_NO_THROW(of("x*z", 1));
}

TEST(Properties, WithoutAValueInADimension) {
  const Kernel k = Kernel::parse("chi2(1)/anova(3)");
  try {
    mercer::properties(k, 1);
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_NE(std::string(error.what()).find("no value in dimension 1"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(mercer::properties(k, 3));
}

}  // namespace
