// Equal, different and undecided pairs.
#include <gtest/gtest.h>

#include <mercer/equal.hpp>
#include <mercer/error.hpp>
#include <mercer/mercer.hpp>

#include "support/plain_eval.hpp"
#include "support/random.hpp"
#include "support/random_kernel.hpp"

namespace {

using mercer::Domain;
using mercer::Equality;
using mercer::Kernel;
using Kind = Equality::Kind;

Equality compare(const std::string& a, const std::string& b, const std::string& domain = "R",
                 std::uint32_t dimension = 0) {
  mercer::EqualityOptions options;
  options.domain = Domain::parse(domain);
  if (dimension > 0) options.dimension = dimension;
  return mercer::equal(Kernel::parse(a, {.dimension = options.dimension}),
                       Kernel::parse(b, {.dimension = options.dimension}), options);
}

struct Statement {
  const char* first;
  const char* second;
  const char* domain;
  std::uint32_t dimension;  // 0: every one
};

TEST(Equal, Pairs) {
  for (const auto& [a, b, domain, d] : std::initializer_list<Statement>{
           {"(1 + x.z)^2", "1 + 2*x.z + (x.z)^2", "R", 0},
           {"(1 + x.z)^20", "(1 + x.z)^18*(1 + x.z)^2", "R", 0},
           {"x1*z1 + x2*z2", "x.z", "R", 2},
           {"|x-z|^2", "|x|^2 - 2*x.z + |z|^2", "R", 0},
           {"|x-z|^4", "(|x|^2 - 2*x.z + |z|^2)^2", "R", 0},
           {"subsets", "1 + x.z + x1*x2*z1*z2", "R", 2},
           {"sqrt(x1^2 + x2^2)", "|x|", "R", 2},
           {"sqrt(x*z)", "sqrt(x)*sqrt(z)", "R+", 1},
           {"exp(log(x))", "x", "R++", 1},
           {"exp(3*log(x) - 2*log(z) + 1)", "x^3*exp(1)/z^2", "R++", 1},
           {"asin(1)", "pi/2", "R", 0},
           {"6*asin(-1/2)", "-pi", "R", 0},
           {"max(0, x - 12345.678)", "0", "[0,100]", 1},
           {"anova(2)", "((x.z)^2 - sum(i, x[i]^2*z[i]^2))/2", "R", 4},
           {"rbf(0.5)", "exp(-|x|^2/2)*exp(x.z)*exp(-|z|^2/2)", "R", 0},
           {"rbf(0.5)", "exp(x.z - 1)", "sphere", 0},
           {"normalize(exp(x.z))", "rbf(0.5)", "R", 0},
           {"rbf(1)", "prod(i, exp(-(x[i]-z[i])^2))", "R", 0},
           {"cos(x1 - z1)", "cos(x1)*cos(z1) + sin(x1)*sin(z1)", "R", 0},
           {"cos(2*x1)", "1 - 2*sin(x1)^2", "R", 0},
           {"periodic", "exp(sum(i, cos(2*pi*(x[i]-z[i])) - 1))", "R", 0},
           {"exp(x.z)", "cosh(x.z) + sinh(x.z)", "R", 0},
           {"sigmoid", "(exp(2*x.z) - 1)/(exp(2*x.z) + 1)", "R", 0},
           {"1/(1+x) + 1/(1-x)", "2/(1-x^2)", "(-1,1)", 0},
           {"x^2/x", "x", "R++", 0},
           {"log(x1*z1^2)", "log(x1) + 2*log(z1)", "R++", 0},
           {"min(x,z)", "(x + z - |x-z|)/2", "R", 1},
           {"min(x,z)", "(|x|_1 + |z|_1 - |x-z|_1)/2", "R+", 0},
           {"(x.z)^2", "(x.z)^3", "{0,1}", 1},
           {"x1^2*z1^2 + x2^2*z2^2 + x1^2*z2^2 + x2^2*z1^2", "1", "sphere", 2},
           {"prod(i, x[i]^2*z[i])", "prod(i, x[i]*z[i]^2)", "{0,1}", 3},
           {"2^(x.z)", "exp(log(2)*x.z)", "R", 0},
       }) {
    const Equality e = compare(a, b, domain, d);
    EXPECT_EQ(e.kind, Kind::equal) << a << " and " << b << " over " << domain;
    EXPECT_NE(e.reason, "");
  }
}

TEST(Equal, DifferentPairs) {
  for (const auto& [a, b, domain, d] : std::initializer_list<Statement>{
           {"x1*z1 + x2*z2", "x.z", "R", 0},  // in dimension 3
           {"rbf(1)", "rbf(1.0000000000000001)", "R", 0},
           {"rbf(0.5)", "exp(x.z - 1)", "R", 0},
           {"(x.z)^2", "(x.z)^3", "{0,1}", 2},
           {"min(x, 10000000)", "x", "R", 1},
           {"max(0, x - 12345.678)", "0", "R", 1},
           {"max(0, x - 12345.678)", "0", "[0,12346]", 1},
           {"sqrt(x1^2 + x2^2)", "|x|", "R", 3},
           {"asin(1)", "pi/2.0000001", "R", 0},
           {"cosine", "x.z", "R", 0},
           {"cos(x - z)", "cos(x)*cos(z) - sin(x)*sin(z)", "R", 0},
           {"x*z*(x-1)*(x-2)*(x+1)*(x+2)*(x-3)*(x+3)*(x-4)*(x+4)", "0", "R", 0},
           {"x*(x-1)*(x-2)*(x-3)*(x-4)*(x-5)", "0", "Z", 0},
           {"x.z", "x.z + 1e-30*(x.z)^2", "ball(0.001)", 0},
           {"matern(1.5)", "matern(1.4)", "R", 0},
           {"min(x,z)", "x.z", "R+", 0},
       }) {
    const Equality e = compare(a, b, domain, d);
    ASSERT_EQ(e.kind, Kind::different) << a << " and " << b << " over " << domain;
    ASSERT_TRUE(e.difference);
    EXPECT_EQ(e.difference->x.size(), e.difference->dimension);
    EXPECT_NE(e.difference->gap, "0");
  }
}

TEST(Equal, Undecided) {
  const Equality e = compare("asin(sin(x))", "x", "[-1,1]", 1);
  EXPECT_EQ(e.kind, Kind::unknown);
  EXPECT_FALSE(e.tried.empty());
}

TEST(Equal, Mistakes) {
  EXPECT_THROW(compare("x/x", "1"), mercer::Error);
  EXPECT_THROW(compare("x", "x2"), mercer::Error);
  EXPECT_THROW(compare("rbf(?)", "x.z"), mercer::Error);
  EXPECT_THROW(compare("precomputed", "x.z"), mercer::Error);
  EXPECT_THROW(compare("x3*z3", "x.z", "R", 2), mercer::Error);
}

// Whatever is said of random pairs, the plain evaluator does not contradict it.
TEST(Equal, NeverContradictedByValues) {
  Random random(17);
  int decided = 0;
  for (int i = 0; i < 120; ++i) {
    const bool polynomial = i % 2 == 0;
    RandomKernelOptions options;
    options.dimension = 2;
    options.size = 4;
    const auto text = [&] {
      return polynomial ? random_polynomial_text(random, 2, 4)
                        : random_kernel_text(random, options);
    };
    const std::string a = text();
    // The same again in other words, or something else.
    const std::string b = random.one_in(2) ? "(" + a + " + 1)^2/2 - (" + a + ")^2/2 - 1/2" : text();
    Equality e;
    try {
      e = compare(a, b, "R", 2);
    } catch (const mercer::Error&) {
      continue;  // undefined somewhere
    }
    if (e.kind == Kind::unknown) continue;
    ++decided;
    for (int n = 0; e.kind == Kind::equal && n < 10; ++n) {
      const auto x = random.round_point(2, -2, 2);
      const auto z = random.round_point(2, -2, 2);
      const auto u = plain::evaluate(a, x, z);
      const auto v = plain::evaluate(b, x, z);
      if (!u.value || !v.value || u.doubtful || v.doubtful) continue;
      const auto scale = static_cast<double>(u.value->scale + v.value->scale);
      EXPECT_NEAR(static_cast<double>(u.value->value), static_cast<double>(v.value->value),
                  1e-10 * (1 + scale))
          << a << " and " << b;
    }
    if (e.kind != Kind::different || !e.difference->exact) continue;
    std::vector<double> x;
    std::vector<double> z;
    for (const auto& v : e.difference->x) x.push_back(static_cast<double>(plain::value(v, {}, {})));
    for (const auto& v : e.difference->z) z.push_back(static_cast<double>(plain::value(v, {}, {})));
    EXPECT_NEAR(static_cast<double>(plain::value(a, x, z)),
                static_cast<double>(plain::value(e.difference->first, {}, {})), 1e-6);
  }
  EXPECT_GT(decided, 40);
}

}  // namespace
