// From φ back to k, and one map in another.
#include <gtest/gtest.h>

#include <mercer/equal.hpp>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/mercer.hpp>

#include "support/plain_eval.hpp"
#include "support/random.hpp"

namespace {

using mercer::Containment;
using mercer::FeatureMap;
using mercer::Kernel;
using Kind = Containment::Kind;

std::string kernel_of(const std::string& map) {
  return mercer::kernel_of(FeatureMap::parse(map)).kernel.formula();
}

TEST(KernelOfMap, IsRecognised) {
  EXPECT_EQ(kernel_of("[1, sqrt(2)*x1, sqrt(2)*x2, x1^2, sqrt(2)*x1*x2, x2^2]"), "(x.z + 1)^2");
  EXPECT_EQ(kernel_of("[x1, x2, x1^2, sqrt(2)*x1*x2, x2^2]"), "(x.z)^2 + x.z");  // exercise 19
  EXPECT_EQ(kernel_of("[x1, x2 + x3]"), "(x2 + x3)*(z2 + z3) + x1*z1");          // exercise 20
  EXPECT_EQ(kernel_of("[x1, x2]"), "x.z");
  EXPECT_EQ(kernel_of("[sqrt(3)*x1, sqrt(3)*x2, 2]"), "3*x.z + 4");
  EXPECT_EQ(kernel_of("[1, x1, x2, x1*x2]"), "prod(i, x[i]*z[i] + 1)");
  EXPECT_EQ(kernel_of("[x1*x2, x1*x3, x2*x3]"), "anova(2)");
  EXPECT_EQ(kernel_of("[cos(x1), sin(x1)]"), "cos(x - z)");
  EXPECT_EQ(kernel_of("[x2, x3]"), "(x.z)[2:3]");
  EXPECT_EQ(kernel_of("[5]"), "25");
}

TEST(KernelOfMap, KnowsWhatItIs) {
  EXPECT_TRUE(mercer::kernel_of(FeatureMap::parse("[x1, x2]")).function_of_dot);
  EXPECT_FALSE(mercer::kernel_of(FeatureMap::parse("[x1, x2]", 3)).function_of_dot);
  EXPECT_FALSE(mercer::kernel_of(FeatureMap::parse("[x1, 2*x2]")).function_of_dot);
}

// There and back.
TEST(KernelOfMap, GivesTheKernelBack) {
  for (const char* text : {"(1 + x.z)^3", "(2 + 3*x.z)^2", "x.z", "(x.z)^4", "subsets", "anova(2)",
                           "x1*z1 + (x1 + x2)*(z1 + z2)", "5*(x.z)^2 + 1", "cos(x1 - z1)",
                           "exp(-|x|^2/2)*(1 + x.z)^2*exp(-|z|^2/2)", "cos(x1 - z1)*x2*z2"})
    for (const std::uint32_t d : {2U, 3U}) {
      const Kernel k = Kernel::parse(text);
      const Kernel back = mercer::kernel_of(mercer::features(k, d).map).kernel;
      mercer::EqualityOptions options;
      options.dimension = d;
      EXPECT_EQ(mercer::equal(k, back, options).kind, mercer::Equality::Kind::equal)
          << text << " against " << back;
      if (!mercer::properties(k).dot_product) continue;
      EXPECT_EQ(back.formula(), k.formula()) << text;
    }
}

TEST(FeatureMap, TextReadsBack) {
  for (const char* text : {"(1 + x.z)^3", "rbf(0.3)", "1/(3 - x.z)", "cosine", "x1*z1/3 + 7*x2*z2",
                           "periodic(3)", "exp(x.z)*x1*z1*6/7"}) {
    const FeatureMap map = mercer::features(Kernel::parse(text), 2).map;
    const FeatureMap again = FeatureMap::parse(map.text(), 2);
    ASSERT_EQ(again.coordinates.size(), map.coordinates.size());
    for (std::size_t i = 0; i < map.coordinates.size(); ++i)
      EXPECT_EQ(again.coordinates[i], map.coordinates[i]) << map.text(i);
  }
  EXPECT_EQ(FeatureMap::parse(" [ min(x1, 2) , <x,x> ] ", 2).text(), "[min(x1, 2), |x|^2]");
}

TEST(FeatureMap, Mistakes) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      FeatureMap::parse(text);
    } catch (const mercer::Error& error) {
      return error.what();
    }
    return "";
  };
  for (const auto& [text, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "the feature map is empty"},
           {"x1, x2", "a list in brackets"},
           {"[]", "the list is empty"},
           {"[ ]", "the list is empty"},
           {"[x1", "the list is not closed"},
           {"[x1] + 1", "something follows the list"},
           {"[x1,, x2]", "a coordinate is missing"},
           {"[x1, x2*z1]", "a function of x alone"},
           {"[x1, x.z]", "a function of x alone"},
           {"[x1, xx]", "column 6"},
           {"[x, x2]", "dimension 1"},
           {"[|x|]", "--dim"},
           {"[x1, x1[\"age\"]]", "none has a name"},
           {"[x1, rbf(gamma=?)]", "a function of x alone"}})
    EXPECT_NE(message(text).find(part), std::string::npos) << text << ": " << message(text);
}

Containment contained(const std::string& map, const std::string& other, bool offset = true) {
  return mercer::contains(FeatureMap::parse(map), FeatureMap::parse(other), offset);
}

// Exercise 17: which maps separate by any ellipse?
TEST(Contains, Ellipses) {
  const std::string ellipses = "[x1, x2, x1*x2, x1^2, x2^2]";
  EXPECT_EQ(contained("[x1, x2]", ellipses).kind, Kind::no);
  EXPECT_EQ(contained("[x1, x2, x1*x2]", ellipses).kind, Kind::no);
  EXPECT_EQ(contained("[x1, x2, x1^2 + x2^2]", ellipses).kind, Kind::no);
  EXPECT_EQ(contained("[x1, x2, x1^2 + 2*x2^2]", ellipses).kind, Kind::no);
  EXPECT_EQ(contained(ellipses, ellipses).kind, Kind::yes);
  const Containment missing = contained("[x1, x2, x1^2, x2^2]", ellipses);
  EXPECT_EQ(missing.missing, 2U);
  EXPECT_EQ(missing.missing_part, "x1*x2");
}

TEST(Contains, OffsetIsARule) {
  EXPECT_EQ(contained("[x1]", "[x1 + 3]").kind, Kind::yes);
  EXPECT_EQ(contained("[x1]", "[x1 + 3]", false).kind, Kind::no);
  EXPECT_EQ(contained("[x1, 1]", "[x1 + 3]", false).kind, Kind::yes);
}

TEST(Contains, Irrational) {
  EXPECT_EQ(contained("[x1 + sqrt(2)*x2, x1 + x2]", "[x1, x2]").kind, Kind::yes);
  EXPECT_EQ(contained("[x1 + sqrt(2)*x2, sqrt(2)*x1 + 2*x2]", "[x1]").kind, Kind::no);
  EXPECT_EQ(contained("[(x1 + sqrt(2)*x2)^2, x1*x2]", "[x1^2 + 2*x2^2]").kind, Kind::yes);
}

TEST(Contains, OtherFunctions) {
  EXPECT_EQ(contained("[exp(x1), x1]", "[2*exp(x1) - x1]").kind, Kind::yes);
  EXPECT_EQ(contained("[exp(x1), x1]", "[exp(2*x1)]").kind, Kind::no);
  EXPECT_EQ(contained("[cos(x1)^2]", "[sin(x1)^2]").kind, Kind::unknown);  // true, but not seen
}

// The combinations, by the plain evaluator.
TEST(Contains, CombinationsHold) {
  Random random(2);
  for (const auto& [map, other] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[x1, x2, x1*x2, x1^2, x2^2]", "[(x1 - 3*x2)^2 + 7, x1/3]"},
           {"[x1 + x2, x1 - x2, 2*x1*x2]", "[x1, x2, x1*x2 + 1]"},
           {"[x1 + sqrt(2)*x2, x1 + x2]", "[x1, x2, sqrt(3)*x1 - 1]"},
           {"[exp(x1)*x2, exp(x1), x2]", "[exp(x1)*(1 + x2), x2 - exp(x1)]"}}) {
    const FeatureMap phi = FeatureMap::parse(map);
    const FeatureMap psi = FeatureMap::parse(other);
    const Containment c = mercer::contains(phi, psi);
    ASSERT_EQ(c.kind, Kind::yes) << map << " " << other;
    for (std::size_t i = 0; i < psi.coordinates.size(); ++i)
      for (int n = 0; n < 5; ++n) {
        const auto x = random.point(2, -2, 2);
        long double total = plain::value(c.offsets[i], x, x);
        for (std::size_t j = 0; j < phi.coordinates.size(); ++j)
          total += plain::value(c.combinations[i][j], x, x) * plain::value(phi.text(j), x, x);
        EXPECT_NEAR(static_cast<double>(total),
                    static_cast<double>(plain::value(psi.text(i), x, x)), 1e-10);
      }
  }
}

}  // namespace
