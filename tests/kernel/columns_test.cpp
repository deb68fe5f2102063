// Kernels on some columns: by index, by range, by name, and one selection after another.
#include <gtest/gtest.h>

#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <string>
#include <vector>

#include "support/plain_eval.hpp"
#include "support/random.hpp"

namespace {

using mercer::Kernel;
using Point = std::vector<double>;

Kernel parse(const std::string& text) { return Kernel::parse(text); }

const std::vector<std::string> names{"age", "colour", "colour", "age", "height"};

Kernel resolved(const std::string& text) { return parse(text).with_columns(names); }

TEST(Columns, TheOrderMattersForCoordinatesOnly) {
  EXPECT_EQ(parse("linear[3,1]"), parse("linear[1,3]"));
  EXPECT_EQ(parse("rbf(2)[5,1:3]"), parse("rbf(2)[1:3,5]"));
  EXPECT_EQ(parse("(x1*z2)[3,1]"), parse("x3*z1"));
  EXPECT_NE(parse("(x1*z2)[3,1]"), parse("(x1*z2)[1,3]"));
  EXPECT_EQ(parse("(x1*z2 + linear)[3,1]"), parse("x3*z1 + linear[1,3]"));
}

TEST(Columns, OneColumnIsACoordinate) {
  EXPECT_EQ(parse("linear[3]"), parse("x3*z3"));
  EXPECT_EQ(parse("rbf(1)[3]"), parse("exp(-(x3-z3)^2)"));
  EXPECT_EQ(parse("laplacian(1)[2]"), parse("matern(0.5)[2]"));
  EXPECT_EQ(parse("(x*z)[2]"), parse("x2*z2"));
  EXPECT_EQ(parse("subsets[4]"), parse("1 + x4*z4"));
  EXPECT_EQ(parse("sum(i, x[i])[2:2]"), parse("x2"));
}

TEST(Columns, SelectionsInARow) {
  // The second is taken first: k[A][B] is k[A] of the columns B.
  EXPECT_EQ(parse("linear[2][3:5]"), parse("x4*z4"));
  EXPECT_EQ(parse("linear[2:3][4,1,2]"), parse("linear[1,2]"));
  EXPECT_EQ(parse("x2[4,1,2]"), parse("x1"));
  EXPECT_EQ(parse("(linear[1:2] + x3)[5,4,2]"), parse("linear[4,5] + x2"));
  EXPECT_EQ(parse("linear[1:3][2:4][3:9]"), parse("linear[4:6]"));
  // For a vector they follow from left to right.
  EXPECT_EQ(parse("x[2:5][3]*z1"), parse("x4*z1"));
  EXPECT_EQ(parse("x[3:5][2:3].z[3:5][2:3]"), parse("linear[4:5]"));
  EXPECT_THROW(parse("linear[3][1:2]"), mercer::ParseError);
  EXPECT_THROW(parse("linear[2:4][2]"), mercer::ParseError);
}

TEST(Columns, FromCpp) {
  const Kernel k = parse("rbf(0.5) + x1*z2");
  EXPECT_EQ(k.on({3, 1}), parse("(rbf(0.5) + x1*z2)[3,1]"));
  EXPECT_EQ(k.on({2, 1}).on({4, 3, 5}), parse("(rbf(0.5) + x1*z2)[2,1][4,3,5]"));
  EXPECT_EQ(k.on("age"), parse("(rbf(0.5) + x1*z2)[\"age\"]"));
  EXPECT_THROW(static_cast<void>(k.on({})), mercer::Error);
  EXPECT_THROW(static_cast<void>(k.on({0})), mercer::Error);
  EXPECT_THROW(static_cast<void>(k.on({2, 2})), mercer::Error);
  EXPECT_THROW(static_cast<void>(k.on({1})), mercer::Error);  // k needs two
}

TEST(Columns, OfSumsProductsAndFunctions) {
  EXPECT_EQ(parse("(rbf(1)*linear + 2)[1:3]"), parse("rbf(1)[1:3]*linear[1:3] + 2"));
  EXPECT_EQ(parse("exp(linear)[2,3]"), parse("exp(linear[2,3])"));
  EXPECT_EQ(parse("normalize(poly(2))[2,3]"), parse("normalize(poly(2)[2,3])"));
  EXPECT_EQ(parse("2[1:3]"), parse("2"));
}

TEST(Columns, ByName) {
  EXPECT_EQ(resolved("linear[\"age\"]"), parse("linear[1,4]"));
  EXPECT_EQ(resolved("linear[\"colour\",\"height\"]"), parse("linear[2,3,5]"));
  EXPECT_EQ(resolved("x[\"height\"]*z1"), parse("x5*z1"));
  EXPECT_EQ(resolved("(x1*z2)[\"age\"]"), parse("x1*z4"));
  EXPECT_EQ(resolved("x1[\"colour\",\"age\"]"), parse("x2"));
  EXPECT_EQ(resolved("x3[\"colour\",\"age\"]"), parse("x1"));
  EXPECT_EQ(resolved("linear[\"age\",\"colour\"]"), resolved("linear[\"colour\",\"age\"]"));
}

TEST(Columns, NamesAndIndicesInARow) {
  EXPECT_EQ(resolved("linear[2][\"age\"]"), parse("x4*z4"));    // the second of the ages
  EXPECT_EQ(resolved("linear[\"age\"][4,2]"), parse("x4*z4"));  // the ages among 4 and 2
  EXPECT_EQ(resolved("x1[\"age\"][2:5]"), parse("x4"));
  EXPECT_EQ(resolved("linear[1:2][\"age\",\"height\"][2:5]"), parse("linear[4,5]"));
  EXPECT_THROW(static_cast<void>(resolved("linear[3][\"age\"]")), mercer::Error);
  EXPECT_THROW(static_cast<void>(resolved("linear[\"age\"][2,3]")), mercer::Error);
}

TEST(Columns, UnknownNamesSuggestKnownOnes) {
  try {
    static_cast<void>(resolved("linear[\"colur\"]"));
    ADD_FAILURE();
  } catch (const mercer::Error& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("colur"), std::string::npos) << said;
    EXPECT_NE(said.find("colour"), std::string::npos) << said;
  }
}

TEST(Columns, NamesWithStrangeCharacters) {
  const std::vector<std::string> strange{"a \"b\"", "c\\d", "größe", "", "x1"};
  for (const auto& name : strange) {
    const Kernel k = mercer::linear().on(name);
    EXPECT_EQ(parse(k.text()), k) << k.text();
    EXPECT_TRUE(k.has_named_columns());
    const Kernel found = k.with_columns(strange);
    EXPECT_FALSE(found.has_named_columns());
    EXPECT_EQ(parse(found.text()), found);
  }
}

TEST(Columns, WithColumnsLeavesTheRest) {
  const Kernel k = parse("rbf(1)[1:2] + poly(2)");
  EXPECT_EQ(k.with_columns(names), k);
  EXPECT_FALSE(k.has_named_columns());
}

TEST(Columns, ValuesAreThoseOfThePart) {
  Random random(21);
  const Point x = random.point(5, 0.1, 2);
  const Point z = random.point(5, 0.1, 2);
  for (const char* text :
       {R"(rbf(1)["age"])", R"(poly(2)[2]["age"])", R"(chi2["colour","height"]*linear)",
        R"(intersection[1,3]["age","colour"])", R"(anova(2)["age","colour"][5,1,3,2])",
        R"(normalize(1 + linear["age"]))", R"(sum(i, x[i]*prod(j, 1 + z[j]))["colour"])",
        R"((x*z + cos(x-z))["height"])", R"(|x["age"] - z["age"]|)"}) {
    const auto expected = static_cast<double>(plain::value(text, x, z, names));
    EXPECT_NEAR(resolved(text)(x, z), expected, 1e-13 * (1 + std::abs(expected))) << text;
  }
}

TEST(Columns, LeastDimension) {
  EXPECT_EQ(parse("linear[3,7,2]").least_dimension(), 7U);
  EXPECT_EQ(parse("linear[2][3:5]").least_dimension(), 4U);
  EXPECT_EQ(parse("linear[\"age\"]").least_dimension(), 1U);
  EXPECT_EQ(parse("linear[2][\"age\"]").least_dimension(), 1U);
}

}  // namespace
