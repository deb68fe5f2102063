// Simplification is exact, and changes nothing about where a kernel is defined.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random_kernel.hpp"

namespace {

using mercer::Kernel;
using Point = std::vector<double>;

Kernel parse(const std::string& text) { return Kernel::parse(text); }

void expect_equal(const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [a, b] : pairs) {
    EXPECT_EQ(parse(a), parse(b)) << a << " and " << b;
    EXPECT_EQ(parse(a).hash(), parse(b).hash()) << a << " and " << b;
  }
}

void expect_different(const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [a, b] : pairs) EXPECT_NE(parse(a), parse(b)) << a << " and " << b;
}

TEST(Simplify, LikeTermsAreCollected) {
  expect_equal({
      {"2*rbf(1) - rbf(1)", "rbf(1)"},
      {"rbf(1) - rbf(1)", "0"},
      {"rbf(1) + rbf(1) + rbf(1)", "3*rbf(1)"},
      {"x.z/3 + x.z/3 + x.z/3", "x.z"},
      {"(x1 + z1) - (z1 + x1)", "0"},
      {"2*(x1 + 3) - x1", "x1 + 6"},
      {"x1*z1 - z1*x1", "0"},
      {"poly(2) + 0*rbf(1)", "poly(2)"},
  });
}

TEST(Simplify, ConstantsAreFolded) {
  expect_equal({
      {"0.1 + 0.2", "0.3"},
      {"1/3 + 1/6", "1/2"},
      {"2^10", "1024"},
      {"2^-2", "0.25"},
      {"(2/3)^3", "8/27"},
      {"1e-3*1000", "1"},
      {"-(-(3))", "3"},
      {"10^20 + 1 - 10^20", "1"},
      {"exp(0)", "1"},
      {"cos(0) + sin(0)", "1"},
      {"log(1)", "0"},
      {"abs(-3/4)", "0.75"},
      {"min(3, 2, 5)", "2"},
      {"max(1/3, 0.3)", "1/3"},
      {"0^0", "1"},
      {"sum(i, 0)", "0"},
      {"prod(i, 1)", "1"},
  });
}

TEST(Simplify, RootsOfRationals) {
  expect_equal({
      {"sqrt(8)", "2*sqrt(2)"},
      {"sqrt(4)", "2"},
      {"sqrt(1/2)", "sqrt(2)/2"},
      {"sqrt(2)*sqrt(2)", "2"},
      {"sqrt(2)*sqrt(3)", "sqrt(6)"},
      {"sqrt(6)/sqrt(2)", "sqrt(3)"},
      {"8^(1/3)", "2"},
      {"(27/8)^(2/3)", "9/4"},
      {"2^0.5*2^0.25", "2^(3/4)"},
      {"sqrt(50) - 5*sqrt(2)", "0"},
      {"sqrt(0.01)", "0.1"},
      {"1/sqrt(2)", "sqrt(0.5)"},
      {"12^1.5", "24*sqrt(3)"},
      {"sqrt(3)^4", "9"},
      {"sqrt(1000003)^2", "1000003"},
      {"sqrt(10000600009)", "100003"},  // the square of a large prime
  });
  expect_different({{"sqrt(2)", "1.4142135623730951"}, {"sqrt(2)", "sqrt(3)"}});
}

TEST(Simplify, SumsAndProductsAreFlat) {
  expect_equal({
      {"x1 + (x2 + (x3 + 1))", "((1 + x3) + x2) + x1"},
      {"x1*(x2*(x3*2))", "((2*x3)*x2)*x1"},
      {"x1 - (x2 - x3)", "x1 - x2 + x3"},
      {"x1/(x2/x3)*0 + x1", "x1 + 0*x1/(x2/x3)"},
      {"min(x1, min(z1, x2))", "min(x2, z1, x1)"},
      {"max(max(x1, 2), 1)", "max(2, x1)"},
      {"min(x1, x1)", "x1"},
      {"2*(3*(4*x1))", "24*x1"},
  });
}

TEST(Simplify, PowersOfOneBaseAreCollected) {
  expect_equal({
      {"x1*x1", "x1^2"},
      {"x1^2*x1^3", "x1^5"},
      {"rbf(1)*rbf(2)", "rbf(3)"},
      {"rbf(1)^3", "rbf(3)"},
      {"1/rbf(1)", "rbf(-1)"},
      {"rbf(1)/rbf(1)", "1"},
      {"sqrt(rbf(2))", "rbf(1)"},
      {"exp(x.z)*exp(-x.z)", "1"},
      {"(x1*z1)^2", "x1^2*z1^2"},
      {"(2*x1)^3", "8*x1^3"},
      {"(x1^2)^3", "x1^6"},
      {"|x|^2*|x|^3", "|x|^5"},
      {"sqrt(x1^2)", "|x1|"},
      {"|x1|^2", "x1^2"},
      {"sqrt(4*x1)", "2*sqrt(x1)"},
      {"(x.z + 1)*(x.z + 1)^2", "poly(3)"},
      {"(z1 - x1)^2", "(x1 - z1)^2"},
      {"x1^1", "x1"},
      {"x1^0", "1"},
      {"(2*x1 - 2*z1)^2", "4*(x1 - z1)^2"},
      {"log(exp(x1))", "x1"},
      {"exp(x1)^z1", "exp(x1*z1)"},
  });
}

TEST(Simplify, FunctionsKnowTheirSymmetries) {
  expect_equal({
      {"cos(x1 - z1)", "cos(z1 - x1)"},
      {"sin(x1 - z1)", "-sin(z1 - x1)"},
      {"abs(x1 - z1)", "abs(z1 - x1)"},
      {"|2*x1|", "2*|x1|"},
      {"abs(-3*x1*z1)", "3*abs(x1)*abs(z1)"},
      {"tanh(-x1)", "-tanh(x1)"},
      {"cosh(-x1) + sinh(-x1)", "cosh(x1) - sinh(x1)"},
      {"asin(-x1)", "-asin(x1)"},
      {"|x-z|", "|z-x|"},
      {"abs(exp(x1))", "exp(x1)"},
  });
}

TEST(Simplify, Reductions) {
  expect_equal({
      {"sum(i, 2*x[i])", "2*sum(i, x[i])"},
      {"sum(i, x[i] + z[i])", "sum(i, x[i]) + sum(i, z[i])"},
      {"sum(i, x1*z[i])", "x1*sum(i, z[i])"},
      {"sum(i, sum(j, x[i]*z[j]))", "sum(i, x[i])*sum(j, z[j])"},
      {"sum(i, x[i])[1:3]", "sum(i, x[i])[3,2,1]"},
      {"sum(i, x[i])[4]", "x4"},
      {"prod(i, x[i])[4]", "x4"},
      {"sum(i, 7)[2:4]", "21"},
      {"prod(i, 2)[2:4]", "8"},
      {"|2*x|", "2*|x|"},
      {"(2*x).(3*z)", "6*x.z"},
      {"(x1*x).z", "x1*(x.z)"},
      {"|x/2 - z/2|^2", "|x-z|^2/4"},
  });
}

TEST(Simplify, DifferentKernelsStayDifferent) {
  expect_different({
      {"rbf(1)", "rbf(2)"},
      {"x1", "z1"},
      {"x1", "x2"},
      {"x*z", "x.z"},  // dimension 1 only, and every dimension
      {"linear[1:2]", "linear"},
      {"|x-z|", "|x-z|_1"},
      {"min(x1, z1)", "max(x1, z1)"},
      {"rbf(0.1)", "rbf(0.1000000000000000055)"},
      {"sum(i, x[i])", "prod(i, x[i])"},
      {"linear[\"a\"]", "linear[\"b\"]"},
      {"rbf(gamma=?)", "rbf(gamma=?[1,2])"},
  });
}

// ---- laws of arithmetic over random kernels

struct Triple {
  Kernel a;
  Kernel b;
  Kernel c;
  std::string text;
};

void for_random_triples(const std::function<void(const Triple&)>& check) {
  Random random(77);
  RandomKernelOptions options;
  options.dimension = 3;
  for (int i = 0; i < 1500; ++i) {
    options.size = 1 + static_cast<int>(random.below(5));
    try {
      const std::string a = random_kernel_text(random, options);
      const std::string b = random_kernel_text(random, options);
      const std::string c = random_kernel_text(random, options);
      check({parse(a), parse(b), parse(c), a + "  ;  " + b + "  ;  " + c});
    } catch (const mercer::ParseError&) {  // undefined everywhere
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Simplify, AdditionIsCommutativeAndAssociative) {
  for_random_triples([](const Triple& t) {
    EXPECT_EQ(t.a + t.b, t.b + t.a) << t.text;
    EXPECT_EQ((t.a + t.b) + t.c, t.a + (t.b + t.c)) << t.text;
    EXPECT_EQ(t.a - t.b, t.a + -1 * t.b) << t.text;
    EXPECT_EQ(-(-t.a), t.a) << t.text;
    EXPECT_EQ(t.a + 0, t.a) << t.text;
  });
}

TEST(Simplify, MultiplicationIsCommutativeAndAssociative) {
  for_random_triples([](const Triple& t) {
    EXPECT_EQ(t.a * t.b, t.b * t.a) << t.text;
    EXPECT_EQ((t.a * t.b) * t.c, t.a * (t.b * t.c)) << t.text;
    EXPECT_EQ(t.a * 1, t.a) << t.text;
    EXPECT_EQ(-t.a * t.b, -(t.a * t.b)) << t.text;
  });
}

TEST(Simplify, NumbersDistribute) {
  for_random_triples([](const Triple& t) {
    EXPECT_EQ(3 * (t.a + t.b), 3 * t.a + 3 * t.b) << t.text;
    EXPECT_EQ(0.1 * t.a + 0.2 * t.a, 0.3 * t.a) << t.text;
    EXPECT_EQ((t.a * t.b) * 6 / 4, 1.5 * t.a * t.b) << t.text;
    EXPECT_EQ(2 * t.a - t.a, t.a) << t.text;
    EXPECT_EQ(0.5 * (t.a - t.b) * t.c, (0.5 * t.a - 0.5 * t.b) * t.c) << t.text;
  });
}

TEST(Simplify, EqualMeansEqualWhateverItIsIn) {
  for_random_triples([](const Triple& t) {
    const Kernel left = t.a * t.b + t.c;
    const Kernel right = t.c + t.b * t.a;
    EXPECT_EQ(exp(left), exp(right)) << t.text;
    EXPECT_EQ(min(left, t.a), min(t.a, right)) << t.text;
    EXPECT_EQ(left.text(), right.text()) << t.text;
    EXPECT_EQ(left.hash(), right.hash()) << t.text;
  });
}

TEST(Simplify, NormalizeOfEqualKernels) {
  for_random_triples([](const Triple& t) {
    std::optional<Kernel> left;
    try {
      left = normalize(t.a * t.b + t.c);
    } catch (const mercer::Error&) {  // k(x,x) is undefined, as for 1/|x-z|
      EXPECT_THROW(normalize(t.c + t.b * t.a), mercer::Error) << t.text;
      return;
    }
    EXPECT_EQ(*left, normalize(t.c + t.b * t.a)) << t.text;
  });
}

// ---- where a kernel is defined

double at(const std::string& text, const Point& x) { return parse(text)(x, x); }

// As written, without a value at x = z.
void expect_undefined(const std::string& text, const Point& x) {
  EXPECT_THROW(at(text, x), mercer::EvaluationError) << text << " is " << parse(text).text();
  const Kernel again = parse(parse(text).text());
  EXPECT_THROW(again(x, x), mercer::EvaluationError) << text << " is " << again.text();
}

TEST(Simplify, QuotientsKeepTheirHoles) {
  expect_undefined("x1/x1", {0});
  expect_undefined("x1^2/x1", {0});
  expect_undefined("x1/x1^2*x1", {0});
  expect_undefined("1/(1/x1)", {0});
  expect_undefined("(x1^-1)^-1", {0});
  expect_undefined("(x1 - 1)/(x1 - 1)", {1});
  expect_undefined("(x1^2 - 1)/(x1 - 1)", {1});
  expect_undefined("0/x1", {0});
  expect_undefined("0*(1/x1)", {0});
  expect_undefined("x1/x1 - x1/x1", {0});
  expect_undefined("(x1/x1)^0", {0});
  expect_undefined("x1*x2/x1", {0, 3});
  EXPECT_EQ(at("x1/x1", {3}), 1);
  EXPECT_EQ(at("1/(1/x1)", {4}), 4);
}

TEST(Simplify, RootsKeepTheirDomain) {
  expect_undefined("sqrt(x1)^2", {-1});
  expect_undefined("sqrt(x1)*sqrt(x1)", {-1});
  expect_undefined("sqrt(x1)*sqrt(z1)", {-1});  // not sqrt(x1*z1), which is 1 there
  expect_undefined("(x1^(1/3))^3", {-1});
  expect_undefined("(x1^3)^(1/3)", {-1});
  expect_undefined("sqrt(x1) - sqrt(x1)", {-1});
  expect_undefined("x1^0.5*x1^-0.5", {0});
  expect_undefined("x1^1.5/sqrt(x1)", {0});
  expect_undefined("sqrt(x1)^4", {-2});
  expect_undefined("(x1^0.25)^4", {-2});
  expect_undefined("(x1^2*x2)^(1/2)", {1, -1});
  expect_undefined("sqrt(x1)*sqrt(x2)", {-1, -4});
  EXPECT_EQ(at("(x1^2*x2)^(1/2)", {0, -1}), 0);  // the root of 0
  EXPECT_EQ(at("sqrt(x1*x2)", {-1, -4}), 2);
  EXPECT_EQ(at("sqrt(x1^2)", {-3}), 3);
  EXPECT_EQ(at("(x1^4)^(1/4)", {-3}), 3);
  EXPECT_EQ(at("(x1^2)^(3/2)", {-2}), 8);
}

TEST(Simplify, LogarithmsKeepTheirDomain) {
  expect_undefined("0*log(x1)", {-1});
  expect_undefined("log(x1) - log(x1)", {0});
  expect_undefined("exp(log(x1))", {-1});
  expect_undefined("exp(2*log(x1))", {-1});
  expect_undefined("log(x1)^0", {-1});
  expect_undefined("log(x1^2)", {0});
  expect_undefined("log(x1) + log(z1)", {-1});
  expect_undefined("min(log(x1), 5) - min(log(x1), 5)", {-1});
  EXPECT_EQ(at("log(x1^2)", {-1}), 0);
  EXPECT_DOUBLE_EQ(at("exp(log(1 + x1^2))", {-2}), 5);
}

TEST(Simplify, OtherDomains) {
  expect_undefined("0*asin(x1)", {2});
  expect_undefined("asin(x1) - asin(x1)", {2});
  expect_undefined("normalize(x1) - normalize(x1)", {-1});
  expect_undefined("sum(i, 0/x[i])", {1, 0});
  expect_undefined("prod(i, x[i]/x[i])", {1, 0});
  expect_undefined("0*sum(i, log(x[i]))", {1, -1});
  expect_undefined("0^x1", {-1});
  expect_undefined("x1^z1 - x1^z1", {-0.5});
}

TEST(Simplify, TotalPartsDoVanish) {
  expect_equal({
      {"0*exp(x1)", "0"},
      {"0*rbf(1) + 1", "1"},
      {"0*cosine", "0"},
      {"exp(x1)/exp(x1)", "1"},
      {"(1 + x1^2)/(1 + x1^2)", "1"},
      {"cosh(x1)^0", "1"},
      {"sqrt(1 + |x|)^2", "1 + |x|"},
      {"exp(log(1 + x1^2))", "1 + x1^2"},
  });
}

}  // namespace
