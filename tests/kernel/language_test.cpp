// Every row of the tables of the kernel language.
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "support/plain_eval.hpp"

namespace {

using mercer::Kernel;
using Point = std::vector<double>;

const Point x{0.5, -2, 3, 1.25};
const Point z{1.5, 0.75, -1, 2};

double at(const std::string& text) { return Kernel::parse(text)(x, z); }
double at(const std::string& text, double u, double v) {
  const Point one_x{u};
  const Point one_z{v};
  return Kernel::parse(text)(one_x, one_z);
}

void expect_same(const std::vector<std::string>& texts) {
  for (const auto& text : texts)
    EXPECT_EQ(Kernel::parse(text), Kernel::parse(texts[0])) << text << " and " << texts[0];
}

const double dot = 0.5 * 1.5 - 2 * 0.75 - 3 + 1.25 * 2;
const double squared = 1 + 2.75 * 2.75 + 16 + 0.75 * 0.75;
const double distance1 = 1 + 2.75 + 4 + 0.75;

TEST(Language, Numbers) {
  EXPECT_EQ(at("1.5"), 1.5);
  EXPECT_EQ(at("1e-3"), 0.001);
  EXPECT_EQ(at("2.5E+2"), 250);
  EXPECT_EQ(at(".5"), 0.5);
  EXPECT_EQ(at("2."), 2);
  EXPECT_EQ(at("007"), 7);
  EXPECT_DOUBLE_EQ(at("pi"), std::numbers::pi);
  expect_same({"pi*x.z", "π*x.z"});
  expect_same({"0.1", "1/10", "1e-1", "10e-2", ".1", "0.10"});
}

TEST(Language, Arithmetic) {
  EXPECT_DOUBLE_EQ(at("x1 + z1"), 2);
  EXPECT_DOUBLE_EQ(at("x1 - z1"), -1);
  EXPECT_DOUBLE_EQ(at("-x2"), 2);
  EXPECT_DOUBLE_EQ(at("+x2"), -2);
  EXPECT_DOUBLE_EQ(at("x2*z2"), -1.5);
  EXPECT_DOUBLE_EQ(at("x3/z4"), 1.5);
  EXPECT_DOUBLE_EQ(at("x3^2"), 9);
  EXPECT_DOUBLE_EQ(at("(x1 + z1)*x3"), 6);
  EXPECT_DOUBLE_EQ(at("x1 - z1 - x3"), -4);
  EXPECT_DOUBLE_EQ(at("x3/z4/z1"), 1);
  EXPECT_DOUBLE_EQ(at("12/z4*x3"), 18);
}

TEST(Language, Precedence) {
  EXPECT_DOUBLE_EQ(at("1 + 2*x3^2"), 19);
  EXPECT_DOUBLE_EQ(at("-x3^2"), -9);
  EXPECT_DOUBLE_EQ(at("(-x3)^2"), 9);
  EXPECT_DOUBLE_EQ(at("2^x3^z4"), 512);  // from the right
  EXPECT_DOUBLE_EQ(at("x3^-2"), 1.0 / 9);
  EXPECT_DOUBLE_EQ(at("2*-x3"), -6);
  EXPECT_DOUBLE_EQ(at("6/2*x3"), 9);
  EXPECT_DOUBLE_EQ(at("--x3"), 3);
  EXPECT_DOUBLE_EQ(at("2*x.z^2"), 2 * dot * dot);
  EXPECT_DOUBLE_EQ(at("3*x.z/2"), 1.5 * dot);
}

TEST(Language, RealExponents) {
  EXPECT_DOUBLE_EQ(at("x3^0.5"), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(at("x3^(1/3)"), std::cbrt(3.0));
  EXPECT_DOUBLE_EQ(at("x3^-1.5"), std::pow(3, -1.5));
  EXPECT_DOUBLE_EQ(at("x3^z1"), std::pow(3, 1.5));
  EXPECT_DOUBLE_EQ(at("x2^3"), -8);
  EXPECT_DOUBLE_EQ(at("x2^-3"), -0.125);
  EXPECT_DOUBLE_EQ(at("x2^x3"), -8);  // a whole number as it happens
  EXPECT_EQ(at("x2^0"), 1);
  EXPECT_THROW(at("x2^0.5"), mercer::EvaluationError);
  EXPECT_THROW(at("x2^z1"), mercer::EvaluationError);
}

TEST(Language, InnerProduct) {
  expect_same({"x.z", "x·z", "<x,z>", "dot(x,z)", "linear", "x . z", "z.x", "< x , z >", "x⋅z",
               "x.x'", "<x, x'>", "dot(x, x')"});
  EXPECT_DOUBLE_EQ(at("x.z"), dot);
  EXPECT_DOUBLE_EQ(at("x.x"), 0.25 + 4 + 9 + 1.5625);
  EXPECT_DOUBLE_EQ(at("(x-z).(x-z)"), squared);
  EXPECT_DOUBLE_EQ(at("<2*x - z, z/2>"), dot - (2.25 + 0.5625 + 1 + 4) / 2);
  EXPECT_DOUBLE_EQ(at("(x1*x).z"), 0.5 * dot);
}

TEST(Language, Coordinates) {
  EXPECT_EQ(at("x1"), 0.5);
  EXPECT_EQ(at("x[1]"), 0.5);
  EXPECT_EQ(at("x_1"), 0.5);
  EXPECT_EQ(at("z2"), 0.75);
  EXPECT_EQ(at("z[2]"), 0.75);
  EXPECT_EQ(at("z_2"), 0.75);
  EXPECT_EQ(at("x4"), 1.25);
  expect_same({"x2*z3", "x[2]*z[3]", "x_2*z_3", "z3*x2", "x2*x'3", "x2*x3'", "x2*x'[3]"});
}

TEST(Language, ThePrimeOfTheNotes) {
  expect_same({"z2", "x'2", "x2'", "x'[2]", "x′2", "x'_2", "x’2"});
  expect_same({"|x-z|", "|x-x'|", "norm(x' - x)"});
  EXPECT_EQ(at("x'1"), 1.5);
  EXPECT_EQ(at("x'", 3, 4), 4);
}

TEST(Language, Norms) {
  expect_same({"|x-z|", "norm(x-z)", "|z-x|", "|x-z|_2", "‖x-z‖", "sqrt((x-z).(x-z))"});
  expect_same({"|x-z|_1", "norm1(x-z)", "|z-x|_1", "‖x−z‖_1", "sum(i, abs(x[i]-z[i]))",
               "sum(i, |x[i]-z[i]|)"});
  expect_same({"|x-z|^2", "(x-z).(x-z)", "sum(i, (x[i]-z[i])^2)", "‖x−z‖²"});
  EXPECT_DOUBLE_EQ(at("|x-z|"), std::sqrt(squared));
  EXPECT_DOUBLE_EQ(at("|x-z|_1"), distance1);
  EXPECT_DOUBLE_EQ(at("|x|"), std::sqrt(0.25 + 4 + 9 + 1.5625));
  EXPECT_DOUBLE_EQ(at("norm(z)"), std::sqrt(2.25 + 0.5625 + 1 + 4));
  EXPECT_DOUBLE_EQ(at("|x+z|_1"), 2 + 1.25 + 2 + 3.25);
  EXPECT_DOUBLE_EQ(at("|2*x - z/2|_1"), 0.25 + 4.375 + 6.5 + 1.5);
  EXPECT_DOUBLE_EQ(at("|-x|"), at("|x|"));
}

TEST(Language, BarsOfANumber) {
  EXPECT_EQ(at("|x2|"), 2);
  EXPECT_EQ(at("|x2|_1"), 2);
  EXPECT_EQ(at("norm(x2)"), 2);
  EXPECT_EQ(at("abs(x2)"), 2);
  EXPECT_DOUBLE_EQ(at("|x.z|"), std::abs(dot));
  EXPECT_DOUBLE_EQ(at("||x2| - 5|"), 3);
  EXPECT_EQ(at("|x-z|", 1, 3.5), 2.5);
  EXPECT_EQ(at("|x*z|", -1, 3.5), 3.5);
}

TEST(Language, SumsAndProducts) {
  expect_same({"sum(i, x[i]*z[i])", "x.z", "sum(j, z[j]*x[j])", "sum(i, x[i]*x'[i])"});
  expect_same({"prod(i, 1 + x[i]*z[i])", "subsets", "prod(index, z[index]*x[index] + 1)"});
  EXPECT_DOUBLE_EQ(at("sum(i, x[i])"), 2.75);
  EXPECT_DOUBLE_EQ(at("prod(i, z[i])"), 1.5 * 0.75 * -1 * 2);
  EXPECT_DOUBLE_EQ(at("sum(i, 1)"), 4);
  EXPECT_DOUBLE_EQ(at("prod(i, 2)"), 16);
  EXPECT_DOUBLE_EQ(at("sum(i, x1)"), 2);
}

TEST(Language, NestedIndices) {
  EXPECT_DOUBLE_EQ(at("sum(i, sum(j, x[i]*z[j]))"), 2.75 * 3.25);
  EXPECT_DOUBLE_EQ(at("sum(i, x[i]*sum(i, z[i]))"), 2.75 * 3.25);  // the inner i hides the outer
  EXPECT_DOUBLE_EQ(at("sum(i, sum(i, x[i]))"), 4 * 2.75);
  EXPECT_NEAR(at("prod(i, sum(j, x[i] + z[j]))"),
              (2 + 3.25) * (-8 + 3.25) * (12 + 3.25) * (5 + 3.25), 1e-10);
  double expected = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double product = 1;
    for (std::size_t j = 0; j < 4; ++j) product *= x[i] + z[j] * x[j];
    expected += product * z[i];
  }
  EXPECT_NEAR(at("sum(i, prod(j, x[i] + z[j]*x[j])*z[i])"), expected, 1e-10);
}

TEST(Language, Functions) {
  EXPECT_DOUBLE_EQ(at("exp(x1)"), std::exp(0.5));
  EXPECT_DOUBLE_EQ(at("log(x3)"), std::log(3.0));
  EXPECT_DOUBLE_EQ(at("sqrt(x3)"), std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(at("cos(x3)"), std::cos(3.0));
  EXPECT_DOUBLE_EQ(at("sin(x2)"), std::sin(-2.0));
  EXPECT_DOUBLE_EQ(at("cosh(x2)"), std::cosh(-2.0));
  EXPECT_DOUBLE_EQ(at("sinh(x2)"), std::sinh(-2.0));
  EXPECT_DOUBLE_EQ(at("tanh(x1)"), std::tanh(0.5));
  EXPECT_DOUBLE_EQ(at("asin(x1)"), std::asin(0.5));
  EXPECT_DOUBLE_EQ(at("abs(x2)"), 2);
  EXPECT_EQ(at("min(x1, z1)"), 0.5);
  EXPECT_EQ(at("max(x1, z1)"), 1.5);
  EXPECT_EQ(at("min(x1, z1, x2, 7)"), -2);
  EXPECT_EQ(at("max(x1, z1, x2, 7)"), 7);
}

TEST(Language, EveryFunctionOfTheLanguageIsListed) {
  const std::vector<std::string> expected{"exp",  "log",   "sqrt", "cos", "sin",  "cosh",
                                          "sinh", "tanh",  "asin", "abs", "min",  "max",
                                          "norm", "norm1", "dot",  "sum", "prod", "normalize"};
  for (const auto& name : expected) {
    bool listed = false;
    for (const auto known : mercer::language_functions()) listed = listed || known == name;
    EXPECT_TRUE(listed) << name;
  }
}

TEST(Language, MinOfPointsIsIntersection) {
  expect_same({"min(x,z)", "intersection", "min(z,x)", "sum(i, min(x[i],z[i]))", "min(x,x')"});
  EXPECT_DOUBLE_EQ(at("min(x,z)"), 0.5 - 2 - 1 + 1.25);
  EXPECT_EQ(at("min(x,z)", 3, -4), -4);
}

TEST(Language, OtherFunctionsOfVectorsAreErrors) {
  for (const char* text : {"max(x,z)", "exp(x)", "cos(x-z)", "x*z", "x + 1", "x^2", "x/z", "abs(x)",
                           "log(x+z)", "min(x, 1)", "sqrt(x)", "x", "1/x"}) {
    EXPECT_THROW(Kernel::parse(text, {.dimension = 2}), mercer::ParseError) << text;
    EXPECT_NO_THROW(Kernel::parse(text, {.dimension = 1})) << text;
    const Kernel k = Kernel::parse(text);
    EXPECT_TRUE(k.only_dimension_one()) << text;
    EXPECT_THROW(k(x, z), mercer::EvaluationError) << text;
  }
}

TEST(Language, InDimensionOnePointsAreNumbers) {
  EXPECT_DOUBLE_EQ(at("x*z", 3, 4), 12);
  EXPECT_DOUBLE_EQ(at("x^2 + z/2", 3, 4), 11);
  EXPECT_DOUBLE_EQ(at("exp(-(x-z)^2)", 3, 4), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(at("max(x, z)", 3, 4), 4);
  EXPECT_DOUBLE_EQ(at("cos(2*pi*(x-z))", 0.5, 0.25), std::cos(std::numbers::pi / 2));
  EXPECT_DOUBLE_EQ(at("x*z + x.z + x1*z[1]", 3, 4), 36);
  EXPECT_TRUE(Kernel::parse("x*z").only_dimension_one());
  EXPECT_FALSE(Kernel::parse("x.z").only_dimension_one());
  EXPECT_FALSE(Kernel::parse("x1*z1").only_dimension_one());
  // One point, one kernel: what is the same for numbers is the same.
  expect_same({"x*z + x - x", "x1*z + x - x1", "x.z + x - x1", "x*z1 + x - x1"});
  expect_same({"exp(-(x-z)^2)", "rbf(1) + x - x1", "exp(-|x-z|*abs(x-z))"});
  EXPECT_THROW(Kernel::parse("x*z + x2"), mercer::ParseError);
}

TEST(Language, LeastDimension) {
  EXPECT_EQ(Kernel::parse("x.z").least_dimension(), 1U);
  EXPECT_EQ(Kernel::parse("x3*z1").least_dimension(), 3U);
  EXPECT_EQ(Kernel::parse("rbf[2:5]").least_dimension(), 5U);
  EXPECT_THROW(Kernel::parse("x3", {.dimension = 2}), mercer::ParseError);
  EXPECT_THROW(Kernel::parse("rbf[2:5]", {.dimension = 4}), mercer::ParseError);
}

TEST(Language, Normalize) {
  const Kernel k = Kernel::parse("normalize(1 + x.z + |x-z|^2)");
  const double at_x = 1 + at("x.x");
  const double at_z = 1 + at("z.z");
  EXPECT_DOUBLE_EQ(k(x, z), (1 + dot + squared) / std::sqrt(at_x * at_z));
  expect_same(
      {"normalize(x.z)", "cosine", "x.z/(|x|*|z|)", "normalize(7*x.z)", "normalize(cosine)"});
  expect_same({"normalize(rbf(2))", "rbf(2)"});
  const Point zero(4, 0.0);
  EXPECT_EQ(Kernel::parse("normalize(x.z*(1 + x.z))")(zero, z), 0);
}

TEST(Language, Columns) {
  EXPECT_DOUBLE_EQ(at("linear[1:3]"), 0.75 - 1.5 - 3);
  EXPECT_DOUBLE_EQ(at("linear[2,4]"), -1.5 + 2.5);
  EXPECT_DOUBLE_EQ(at("linear[3]"), -3);
  EXPECT_DOUBLE_EQ(at("linear[1:2,4]"), 0.75 - 1.5 + 2.5);
  EXPECT_DOUBLE_EQ(at("rbf(1)[1]"), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(at("(x1*z2)[3,4]"), 3 * 2);
  EXPECT_DOUBLE_EQ(at("(1 + x.z)[2]*x1"), (1 - 1.5) * 0.5);
  expect_same({"linear[1:3]", "linear[1,2,3]", "linear[3,1,2]", "x[1:3].z[1:3]"});
  expect_same({"linear[3]", "x3*z3", "(x1*z1)[3]", "linear[2][2:4]"});
}

TEST(Language, ColumnsByName) {
  const std::vector<std::string> names{"age", "colour", "colour", "height"};
  const auto resolved = [&](const char* text) { return Kernel::parse(text).with_columns(names); };
  EXPECT_EQ(resolved("linear[\"colour\"]"), Kernel::parse("linear[2:3]"));
  EXPECT_EQ(resolved("rbf(2)[\"age\"]"), Kernel::parse("rbf(2)[1]"));
  EXPECT_EQ(resolved("linear[\"height\", \"age\"]"), Kernel::parse("linear[1,4]"));
  EXPECT_TRUE(Kernel::parse("linear[\"age\"]").has_named_columns());
  EXPECT_FALSE(resolved("linear[\"age\"]").has_named_columns());
}

TEST(Language, RuleOneOfTheNotes) {
  const Kernel k = Kernel::parse("exp(-|x|^2/2) * exp(x.z) * exp(-|z|^2/2)");
  EXPECT_DOUBLE_EQ(k(x, z), std::exp(-squared / 2));
  EXPECT_DOUBLE_EQ(at("x1^2 * rbf * z1^2"), 0.25 * std::exp(-squared / 2) * 2.25);
  EXPECT_DOUBLE_EQ(at("(1 + |x|)*linear*(1 + |z|)"), (1 + at("|x|")) * dot * (1 + at("|z|")));
}

TEST(Language, OpenParameters) {
  const Kernel k = Kernel::parse("rbf(gamma=?) + rbf(gamma=?[0.01,10])");
  const auto open = k.open_parameters();
  ASSERT_EQ(open.size(), 2U);
  for (const auto& p : open) {
    EXPECT_EQ(p.kernel, "rbf");
    EXPECT_EQ(p.parameter, "gamma");
  }
  EXPECT_THROW(k(x, z), mercer::EvaluationError);
}

TEST(Language, SpacesDoNotMatter) {
  expect_same({"2*rbf(gamma=0.5)+x.z^2", " 2 * rbf ( gamma = 0.5 ) + x . z ^ 2 ",
               "2\t*rbf(\n gamma=0.5)\r\n+x.z^2"});
}

TEST(Language, PastedCharacters) {
  expect_same({"x.z - 2*|x-z|^2", "x·z − 2×‖x−z‖²", "x⋅z – 2*‖x-x′‖^2"});
}

TEST(Language, ExactDecimals) {
  expect_same({"0.1*x.z + 0.2*x.z", "0.3*x.z"});
  EXPECT_EQ(Kernel::parse("0.1 + 0.2"), Kernel::parse("0.3"));
  EXPECT_NE(Kernel::parse("0.1 + 0.2"), Kernel::parse("0.30000000000000004"));
  EXPECT_EQ(Kernel(0.1) + Kernel(0.2), Kernel(0.3));
}

// The tables again, read by the other interpreter of the language.
TEST(Language, AgreesWithThePlainInterpreter) {
  for (const char* text :
       {"1.5 + x1*z2 - x3/z4", "-x3^2", "2^x3^z4", "x.z", "<x,z>", "dot(x - z, x + z)", "|x-z|_1",
        "norm1(2*x)", "sum(i, x[i]*prod(j, z[j] - x[i]))", "min(x,z)", "max(x1, z1, 2)",
        "normalize(2 + x.z)", "rbf(1)[1:3]", "(x1*z2)[4,2]", "asin(cosine)", "x'3*x2'", "π*x[2]",
        "exp(-|x|^2/2) * exp(x.z) * exp(-|z|^2/2)", "linear[2][2:4]"}) {
    const auto expected = static_cast<double>(plain::value(text, x, z));
    EXPECT_NEAR(at(text), expected, 1e-13 * (1 + std::abs(expected))) << text;
  }
}

}  // namespace
