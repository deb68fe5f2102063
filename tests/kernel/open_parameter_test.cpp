// Parameters left open, to be chosen from data: rbf(gamma=?), rbf(gamma=?[0.01,10]).
#include <gtest/gtest.h>

#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <string>
#include <vector>

namespace {

using mercer::Kernel;
using mercer::Parameter;

Kernel parse(const std::string& text) { return Kernel::parse(text); }

Kernel closed(const std::string& text, const std::vector<double>& values) {
  return parse(text).with_parameters(values);
}

// "rbf.gamma poly.c", in order.
std::string names(const Kernel& k) {
  std::string result;
  for (const auto& p : k.open_parameters())
    result += (result.empty() ? "" : " ") + p.kernel + "." + p.parameter;
  return result;
}

TEST(OpenParameter, AreListed) {
  EXPECT_EQ(names(parse("rbf(gamma=?)")), "rbf.gamma");
  EXPECT_EQ(names(parse("rbf(?)")), "rbf.gamma");
  EXPECT_EQ(names(parse("rbf(sigma=?)")), "rbf.sigma");
  EXPECT_EQ(names(parse("poly(2, ?, gamma=?)")), "poly.c poly.gamma");
  EXPECT_EQ(names(parse("poly(gamma=?, c=?)")), "poly.c poly.gamma");
  EXPECT_EQ(names(parse("linear")), "");
  const auto open = parse("rbf(gamma=?[0.01,10])").open_parameters();
  ASSERT_EQ(open.size(), 1U);
  ASSERT_TRUE(open[0].range);
  EXPECT_EQ(open[0].range->low, 0.01);
  EXPECT_EQ(open[0].range->high, 10);
  EXPECT_FALSE(parse("rbf(gamma=?)").open_parameters()[0].range);
}

TEST(OpenParameter, RangesMayBeFractionsAndNegative) {
  const auto range = parse("sigmoid(c=?[-1/3, 2e3])").open_parameters()[0].range;
  ASSERT_TRUE(range);
  EXPECT_DOUBLE_EQ(range->low, -1.0 / 3);
  EXPECT_EQ(range->high, 2000);
}

TEST(OpenParameter, PrintAndReadBack) {
  for (const char* text :
       {"rbf(gamma=?)", "rbf(sigma=?[0.5,2])", "poly(degree=?, c=1)",
        "poly(degree=2, c=?[-1/3,0.1])", "2*rbf(gamma=?) + linear", "rbf(gamma=?)*rbf(gamma=?)",
        "rbf(gamma=?) - rbf(gamma=?)", "rbf(gamma=?)[1:3]", "rbf(gamma=?)[\"age\"]",
        "normalize(poly(degree=?) + 1)", "exp(-matern(nu=?, length=?))",
        "min(rbf(gamma=?), rbf(gamma=?[1,2]))", "1/(1/rbf(gamma=?))", "sqrt(rbf(gamma=?))^2",
        "sum(i, x[i]*rbf(gamma=?))"}) {
    const Kernel k = parse(text);
    EXPECT_EQ(parse(k.text()), k) << k.text();
    EXPECT_EQ(parse(k.formula()), k) << k.formula();
    EXPECT_EQ(names(parse(k.text())), names(k)) << k.text();
  }
}

TEST(OpenParameter, EachQuestionMarkIsItsOwn) {
  const Kernel twice = parse("rbf(gamma=?) + rbf(gamma=?)");
  EXPECT_EQ(twice.open_parameters().size(), 2U);
  EXPECT_NE(twice, parse("2*rbf(gamma=?)"));
  EXPECT_NE(parse("rbf(gamma=?) - rbf(gamma=?)"), parse("0"));
  const Kernel k = parse("rbf(gamma=?)");
  EXPECT_EQ((k + k).open_parameters().size(), 2U);
  EXPECT_EQ((k * k).open_parameters().size(), 2U);
  EXPECT_EQ(min(k, k).open_parameters().size(), 2U);
  EXPECT_EQ((2 * k).open_parameters().size(), 1U);
  EXPECT_EQ(parse("1/(1/rbf(gamma=?))").open_parameters().size(), 1U);
  EXPECT_EQ(parse("sqrt(rbf(gamma=?))^2").open_parameters().size(), 1U);
  EXPECT_EQ(parse("sqrt(matern(length=?))^4").open_parameters().size(), 1U);
  EXPECT_EQ(parse("x1/abs(x.z/chi2(gamma=?))").open_parameters().size(), 1U);
}

TEST(OpenParameter, GivenValuesTheyAreTheKernel) {
  EXPECT_EQ(closed("rbf(gamma=?)", {0.25}), parse("rbf(0.25)"));
  EXPECT_EQ(closed("rbf(sigma=?)", {2}), parse("rbf(sigma=2)"));
  EXPECT_EQ(closed("poly(?, c=0.5)", {4}), parse("poly(4, 0.5)"));
  EXPECT_EQ(closed("poly(2, ?, ?)", {0.1, 3}), parse("poly(2, 0.1, 3)"));
  EXPECT_EQ(closed("matern(nu=?)", {1.5}), parse("matern"));
  EXPECT_EQ(closed("2*rbf(gamma=?[1,2]) + 1", {1.5}), parse("2*rbf(1.5) + 1"));
  EXPECT_EQ(closed("rbf(gamma=?)[2:3]", {1}), parse("rbf(1)[2:3]"));
  EXPECT_EQ(closed("anova(?)", {3}), parse("anova(3)"));
  EXPECT_EQ(closed("linear", {}), parse("linear"));
}

// The values go to the parameters in the order of open_parameters().
TEST(OpenParameter, ValuesGoInTheListedOrder) {
  for (const char* text :
       {"rbf(gamma=?) + laplacian(gamma=?)", "laplacian(gamma=?)*rbf(gamma=?) + sigmoid(?)",
        "rbf(gamma=?)[1] + rbf(gamma=?)[2] + poly(3, ?, ?)",
        "min(rq(?, ?), laplacian(gamma=?))/poly(2, c=?)"}) {
    const Kernel k = parse(text);
    const auto open = k.open_parameters();
    std::vector<double> values;
    for (std::size_t i = 0; i < open.size(); ++i) values.push_back(0.5 + static_cast<double>(i));
    const std::string printed = k.with_parameters(values).text();
    // Filling in the printed text by hand must give the same kernel.
    std::string by_hand = k.text();
    for (const double v : values) {
      const auto at = by_hand.find('?');
      ASSERT_NE(at, std::string::npos);
      by_hand.replace(at, 1, std::to_string(v));
    }
    EXPECT_EQ(parse(printed), parse(by_hand)) << text;
  }
}

TEST(OpenParameter, WrongValuesAreErrors) {
  EXPECT_THROW(static_cast<void>(closed("rbf(gamma=?)", {})), mercer::Error);
  EXPECT_THROW(static_cast<void>(closed("rbf(gamma=?)", {1, 2})), mercer::Error);
  EXPECT_THROW(static_cast<void>(closed("matern(nu=?)", {-1})), mercer::Error);
  EXPECT_THROW(static_cast<void>(closed("anova(?)", {1.5})), mercer::Error);
}

TEST(OpenParameter, FromCpp) {
  EXPECT_EQ(mercer::rbf(Parameter::open()), parse("rbf(gamma=?)"));
  EXPECT_EQ(mercer::rbf(Parameter::open(0.01, 10)), parse("rbf(gamma=?[0.01,10])"));
  EXPECT_EQ(mercer::rbf_sigma(Parameter::open()), parse("rbf(sigma=?)"));
  EXPECT_EQ(names(mercer::poly(Parameter::open(1, 5), Parameter::open())),
            names(parse("poly(?[1,5], ?)")));
  EXPECT_EQ(mercer::poly(2, Parameter::open()).with_parameters(std::vector<double>{3}),
            parse("poly(2, 3)"));
  EXPECT_THROW(mercer::rbf(Parameter::open(2, 1)), mercer::Error);
}

TEST(OpenParameter, CannotBeEvaluated) {
  const std::vector<double> x{1, 2};
  EXPECT_THROW(parse("rbf(gamma=?)")(x, x), mercer::EvaluationError);
}

TEST(OpenParameter, OnlyInNamedKernels) {
  for (const char* text : {"?", "1 + ?", "exp(?)", "x.z^?", "linear[?]", "sum(i, ?)", "rbf(1 + ?)",
                           "rbf(gamma=?[1,2]+1)", "rbf(gamma=-?)"})
    EXPECT_THROW(parse(text), mercer::ParseError) << text;
}

}  // namespace
