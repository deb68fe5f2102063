// Statements with known answers. Those near the border of validity come in pairs, a millionth
// apart.
#include <gtest/gtest.h>

#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>
#include <ostream>

namespace {

using mercer::Domain;
using mercer::Kernel;
using mercer::Verdict;

Verdict judge(const std::string& text, const std::string& domain, std::uint32_t dimension = 0) {
  mercer::ProofOptions options;
  options.domain = Domain::parse(domain);
  if (dimension > 0) options.dimension = dimension;
  return mercer::prove(Kernel::parse(text, {.dimension = options.dimension}), options);
}

struct Statement {
  const char* text;
  const char* domain;
  std::uint32_t dimension;  // 0: every one
};

void PrintTo(const Statement& s, std::ostream* out) {
  *out << s.text << " over " << s.domain;
  if (s.dimension > 0) *out << " in dimension " << s.dimension;
}

class Kernels : public testing::TestWithParam<Statement> {};
class NotKernels : public testing::TestWithParam<Statement> {};
class NotProved : public testing::TestWithParam<Statement> {};

TEST_P(Kernels, AreProved) {
  const auto& [text, domain, dimension] = GetParam();
  const Verdict v = judge(text, domain, dimension);
  ASSERT_EQ(v.kind, Verdict::Kind::kernel) << text << " over " << domain;
  EXPECT_TRUE(v.derivation.has_value());
  EXPECT_FALSE(v.witness.has_value());
}

TEST_P(NotKernels, AreRefuted) {
  const auto& [text, domain, dimension] = GetParam();
  const Verdict v = judge(text, domain, dimension);
  ASSERT_EQ(v.kind, Verdict::Kind::not_a_kernel) << text << " over " << domain;
  ASSERT_TRUE(v.witness.has_value());
  EXPECT_FALSE(v.derivation.has_value());
}

// False, or defined nowhere, by less than doubles can tell.
TEST_P(NotProved, ByDoublesAlone) {
  const auto& [text, domain, dimension] = GetParam();
  EXPECT_NE(judge(text, domain, dimension).kind, Verdict::Kind::kernel) << text;
}

INSTANTIATE_TEST_SUITE_P(
    NumbersBetweenDoubles, NotProved,
    testing::Values(Statement{"min((x-0.7316)^2+1,(z-0.7316)^2+1) - 1.00000000000000000001", "R",
                              1},
                    Statement{"max(x*z, 0.99999999999999999999)", "[0,1]", 1},
                    Statement{"max(x.z, 0.48999999999999997)", "ball(0.7)", 2},
                    Statement{"sqrt(tanh(x)-1)*sqrt(tanh(z)-1)", "[20,30]", 1},
                    Statement{"sqrt(x - 1.00000000000000000001)*sqrt(z - 1.00000000000000000001)",
                              "[1,2]", 1}));

// normalize(k) looks at k(x,x) and k(z,z): z = 0 inside of it is not its value at z = 0, and
// normalize(f(x)) is not a function of x alone.
INSTANTIATE_TEST_SUITE_P(
    NormalizeBinds, NotKernels,
    testing::Values(Statement{"normalize(1+x*z) - 1", "R", 1},
                    Statement{"normalize(poly(3)) - 0.1", "R", 0},
                    Statement{"-log(2-normalize(1+x.z))", "R", 0},
                    Statement{"(1+normalize(x^2+1))*(1+normalize(z^2+1))", "R", 1},
                    Statement{"exp(-(normalize(x^2+1)+normalize(z^2+1)))", "R", 1},
                    Statement{"cos(normalize(x^2+1)-normalize(z^2+1))", "R", 1}));

INSTANTIATE_TEST_SUITE_P(
    Proof, Kernels,
    testing::Values(
        Statement{"1", "R", 0}, Statement{"0", "R", 0}, Statement{"x.z", "R", 0},
        Statement{"(1 + x.z)^2", "R", 0}, Statement{"(x.z + 1)^2 - 1", "R", 0},
        Statement{"exp(x+z)", "R", 1}, Statement{"min(x,z)", "R+", 1},
        Statement{"min(x,z)", "N", 1}, Statement{"prod(i, 1 + x[i]*z[i])", "R", 0},
        Statement{"subsets - 1 - x.z", "R", 0}, Statement{"rbf(0.5)*poly(2) + 0.1*linear", "R", 0},
        Statement{"laplacian(2)", "R", 0}, Statement{"matern(0.7)", "R", 0},
        Statement{"matern(1.5)*1", "R+", 1}, Statement{"rq(2,3)", "R", 0},
        Statement{"periodic(2)", "R", 0}, Statement{"cosine", "R", 0},
        Statement{"chi2(1)", "R+", 0}, Statement{"anova(3)", "R", 0},
        Statement{"intersection", "R+", 0}, Statement{"exp(-|x-z|^1.5)", "R", 0},
        Statement{"1/(1+|x-z|)", "R", 0}, Statement{"1/log(2+|x-z|^2)", "R", 0},
        Statement{"1/(x+z)", "R++", 1}, Statement{"x*z/(x+z)", "R++", 1},
        Statement{"exp(-(log(x)-log(z))^2)", "R++", 1}, Statement{"exp(-max(x,z))", "R+", 1},
        Statement{"1/max(x,z)", "R++", 1}, Statement{"min(x,z)/max(x,z)", "R++", 1},
        Statement{"min(x,z)*max(x,z)", "R", 1}, Statement{"min(x,z) - x*z", "[0,1]", 1},
        Statement{"log(1+min(x,z))", "R+", 1}, Statement{"1 - |x-z|", "[0,1]", 1},
        Statement{"max(0, 1-|x-z|)", "R", 1}, Statement{"exp(x.z) - 1 - x.z", "R", 0},
        Statement{"exp(2*x.z) - exp(x.z)", "R", 0}, Statement{"cosh(x.z) - 1", "R", 0},
        Statement{"sinh(x.z)", "R", 0}, Statement{"1/(1-x.z)", "ball(1/2)", 0},
        Statement{"-log(1-x.z)", "ball(0.9)", 0}, Statement{"asin(x.z)", "sphere", 0},
        Statement{"|x| + |z| - |x-z|", "R", 0}, Statement{"|x+z|^2 - |x-z|^2", "R", 0},
        Statement{"sqrt(x*z)", "R+", 1}, Statement{"cos(x-z)^2", "R", 1},
        Statement{"2^(x.z)", "R", 0}, Statement{"1 - (x-z)^2", "{0,1}", 1},
        Statement{"x+z", "{0}", 1}, Statement{"2*x1*z1 - x1*z2 - x2*z1 + 2*x2*z2", "R", 2},
        Statement{"x1*z1 + 0.999999*x1*z2 + 0.999999*x2*z1 + x2*z2", "R", 2},
        Statement{"exp(x.z) - 0.5*(x.z)^2", "R", 0}, Statement{"exp(-|x-z|^2)", "R", 1}));

INSTANTIATE_TEST_SUITE_P(
    Proof, NotKernels,
    testing::Values(Statement{"-1", "R", 0}, Statement{"x.z - 1", "R", 0},
                    Statement{"(x.z - 1)^2", "R", 0}, Statement{"(x.z)^3 - x.z", "R", 0},
                    Statement{"min(x,z)", "Z", 1}, Statement{"max(x,z)", "R+", 1},
                    Statement{"tanh(x.z)", "R", 0}, Statement{"|x-z|", "R", 0},
                    Statement{"sin(x)*cos(z)", "R", 1}, Statement{"x - z", "R", 1},
                    Statement{"x1*z2", "R", 2}, Statement{"sum(i, x[i] + z[i])", "R", 0},
                    Statement{"exp(|x-z|^2)", "R", 0}, Statement{"exp(-|x-z|^3)", "R", 1},
                    Statement{"exp(-|x-z|^2.000001)", "R", 1}, Statement{"cos(|x-z|)", "R", 2},
                    Statement{"sin(x.z)", "R", 0}, Statement{"log(1+x.z)", "R+", 0},
                    Statement{"prod(i, 1 - x[i]*z[i])", "R", 0}, Statement{"1/(x*z+1)", "R+", 1},
                    Statement{"exp(x.z) - 0.500001*(x.z)^2", "R", 0},
                    Statement{"exp(-|x-z|) - 0.500001*exp(-2*|x-z|)", "R", 1},
                    Statement{"(x.z+1)^2 - (x.z)^2 - 2*x.z - 1.000001", "R", 0},
                    Statement{"x1*z1 + 1.000001*x1*z2 + 1.000001*x2*z1 + x2*z2", "R", 2},
                    Statement{"x1*z1 + 2*x1*z2 + 2*x2*z1 + x2*z2", "R", 2},
                    Statement{"x+z", "{0,1}", 1}, Statement{"rbf(0.5) - 0.1*linear", "R", 0}));

TEST(Verdict, UndefinedOnTheDomainIsAnErrorThatNamesThePoint) {
  for (const auto& [text, domain] :
       {std::pair{"log(x)", "R"}, std::pair{"1/(x+z)", "R+"}, std::pair{"sin(x-z)/(x-z)", "R"},
        std::pair{"1/(1-x*z)", "[-1,1]"}, std::pair{"1/(1-rq(1))", "R"},
        std::pair{"-log(1-16/(|x-z|^2+4)^2)", "R"}}) {
    try {
      judge(text, domain, 1);
      ADD_FAILURE() << text;
    } catch (const mercer::Error& error) {
      EXPECT_NE(std::string(error.what()).find("x = ("), std::string::npos) << error.what();
    }
  }
}

TEST(Verdict, DimensionsThatMakeNoSense) {
  EXPECT_THROW(judge("x3*z3", "R", 2), mercer::Error);
  EXPECT_THROW(judge("exp(x+z)", "R", 2), mercer::Error);
  EXPECT_THROW(mercer::prove(mercer::rbf(mercer::Parameter::open())), mercer::Error);
}

TEST(Verdict, AStopEndsTheSearch) {
  const Kernel k = Kernel::parse("exp(-|x-z|^1.9)*cos(x1-z1)^3 + 0.001*tanh(x.z)");
  mercer::Stop stop;
  const mercer::Stop::Heeded heeded(&stop);
  EXPECT_EQ(prove(k).kind, Verdict::Kind::unknown);
  stop.ask();
  EXPECT_THROW(prove(k), mercer::Stopped);
}

}  // namespace
