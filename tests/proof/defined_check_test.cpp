// A statement about an expression that is undefined somewhere is an error that says where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>

namespace {

using mercer::Domain;
using mercer::Kernel;
using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::string& text, const std::string& domain,
                      std::uint32_t dimension = 0) {
  mercer::ProofOptions options;
  options.domain = Domain::parse(domain);
  if (dimension > 0) options.dimension = dimension;
  try {
    mercer::prove(Kernel::parse(text, {.dimension = options.dimension}), options);
  } catch (const mercer::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Undefined, AtAPointThatIsNamed) {
  EXPECT_THAT(complaint("log(x.z)", "R"), HasSubstr("is undefined at x = "));
  EXPECT_THAT(complaint("1/(x+z)", "R+"), HasSubstr("x = (0), z = (0)"));
  EXPECT_THAT(complaint("log(100000-x)*log(100000-z)", "R"), HasSubstr("is undefined at"));
  EXPECT_THAT(complaint("normalize(-x.z)", "R", 1), HasSubstr("k(z,z) = -1 is negative"));
}

TEST(Undefined, BetweenTwoPoints) {
  EXPECT_THAT(complaint("1/(x^2-2)*1/(z^2-2)", "[1,2]"),
              HasSubstr("2 - x^2 changes its sign between x = (1) and x = (1.5)"));
  EXPECT_THAT(complaint("1/cos(x-z)", "R"), HasSubstr("changes its sign between"));
  EXPECT_THAT(complaint("1/(1-1.24*x.z)", "ball(0.9)"), HasSubstr("changes its sign between"));
  EXPECT_THAT(complaint("1/(x^2+z^2-3)", "R"), HasSubstr("changes its sign between"));
  EXPECT_THAT(complaint("1/(1.2-normalize(x+z))", "R++"), HasSubstr("changes its sign between"));
  EXPECT_THAT(complaint("0/(x^2-2)", "R"), HasSubstr("changes its sign between"));
  EXPECT_THAT(complaint("sum(i, 1/((x[i]^2-2)*(z[i]^2-2)))", "R"),
              HasSubstr("changes its sign between"));
}

TEST(Undefined, WhereAPartTakesTheValuePi) {
  EXPECT_THAT(complaint("1/(1+cos(x-z))", "R"),
              AllOf(HasSubstr("is 0 where x - z is pi"), HasSubstr("between")));
  EXPECT_THAT(complaint("1/(1-sin(x+z))", "R"), HasSubstr("is 0 where x + z is"));
}

// Between two whole numbers there is nothing; x - z does not reach π; a root may be 0.
TEST(Undefined, NotWhereTheDomainAvoidsIt) {
  EXPECT_EQ(complaint("1/((x^2-2)*(z^2-2))", "Z"), "");
  EXPECT_EQ(complaint("1/(1+cos(x-z))", "[0,1]"), "");
  EXPECT_EQ(complaint("sqrt(1+cos(x-z))", "R"), "");
  EXPECT_EQ(complaint("1/(x.z)", "sphere", 1), "");  // {-1, 1}
}

}  // namespace
