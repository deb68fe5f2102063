// Each rule of proof: an expression whose derivation cites it, and one a step beyond its border
// that has no derivation.
#include <gtest/gtest.h>

#include <algorithm>
#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>
#include <set>

namespace {

using mercer::Derivation;
using mercer::Kernel;
using mercer::Verdict;

struct Statement {
  const char* text;
  const char* domain;
  std::uint32_t dimension;  // 0: every one
};

struct Row {
  const char* rule;
  Statement cites;
  Statement beyond;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"constant", {"sqrt(2)", "R", 0}, {"1 - sqrt(2)", "R", 0}},
      {"positive constant",
       {"prod(i, pi*exp(-|x[i]-z[i]|))^0.5", "R", 0},
       {"prod(i, -pi*exp(-|x[i]-z[i]|))", "R", 0}},
      {"sum", {"x.z + 0.5*(x.z)^2 + 1", "R", 0}, {"x.z - 0.000001", "R", 0}},
      {"multiple", {"rq(2)", "R", 0}, {"-0.001*rq(2)", "R", 0}},
      {"sum, conditionally", {"1/(x+z)", "R++", 1}, {"exp(x*z-2*|x|*|z|)", "R", 1}},
      {"product", {"exp(x.z)*rbf(1)", "R", 0}, {"rbf(1)*|x-z|", "R", 0}},
      {"one feature", {"x*z", "R", 1}, {"x*z^2", "R", 1}},
      {"f(x) k f(z)", {"x*exp(-|x-z|)*z", "R", 1}, {"x*|x-z|*z", "R", 1}},
      {"product, divisible",
       {"prod(i, x[i]*z[i]*exp(-|x[i]-z[i]|))^0.5", "R++", 0},
       {"(x*z*(1+x*z))^0.5", "R+", 1}},
      {"power", {"(x.z + exp(-|x-z|))^3", "R", 0}, {"(x.z)^2.5", "R+", 2}},
      {"real power", {"(2^(x*z))^0.3", "(0,1]", 1}, {"(1+x*z)^0.5", "R+", 1}},
      {"normalization", {"cosine", "R", 0}, {"normalize(x*z+x+z+2) - 0.1", "R", 1}},
      {"sum over coordinates", {"x.z", "R", 0}, {"sum(i, x[i]+z[i])", "R", 0}},
      {"product over coordinates", {"subsets", "R", 0}, {"prod(i, 1 - x[i]*z[i])", "R", 0}},
      {"product over coordinates, divisible",
       {"prod(i, x[i]*z[i]*exp(-|x[i]-z[i]|))^0.5", "R++", 0},
       {"prod(i, 1+x[i]*z[i])^0.5", "R+", 0}},
      {"sum over sets of coordinates", {"anova(2)", "R", 0}, {"-anova(2)", "R", 0}},
      {"sum over coordinates, conditionally", {"rbf(1)", "R", 0}, {"exp(|x-z|^2)", "R", 0}},
      {"one sum over coordinates",
       {"|x+z|_1 - |x-z|_1", "R", 0},
       {"|x+z|_1 - 1.001*|x-z|_1", "R", 0}},
      {"part of a product", {"subsets - x.z", "R", 0}, {"subsets - 1.001*x.z", "R", 0}},
      {"part of a power",
       {"(x.z)^2 - sum(i, x[i]^2*z[i]^2)", "R", 0},
       {"(x.z)^2 - 1.000001*sum(i, x[i]^2*z[i]^2)", "R", 0}},
      {"shared constant", {"intersection - 1", "N", 0}, {"intersection - 1.000001", "N", 0}},
      {"positive part of a product", {"max(0, x*z)", "R", 1}, {"max(0, x*z) - 0.000001", "R", 1}},
      {"another form", {"exp(2*log(1 + x*z))", "R+", 1}, {"exp(0.999999*log(1 + x*z))", "R+", 1}},
      {"Bernoulli polynomial",
       {"0.166667 - |x-z| + (x-z)^2", "[0,1]", 1},
       {"0.1666 - |x-z| + (x-z)^2", "[0,1]", 1}},
      {"a kernel, conditionally", {"exp(x.z - 1)", "R", 0}, {"exp(-x.z)", "R", 0}},
      {"multiply out", {"exp((x+z)^2)", "R", 1}, {"exp(-(x+z)^2)", "R", 1}},
      {"joined exponentials", {"exp(-x1*z1)*exp(x.z)", "R", 2}, {"exp(-2*x1*z1)*exp(x.z)", "R", 2}},
      {"on the domain", {"|x|*|z|*x.z - 0", "sphere", 0}, {"|x|*|z| - 1.001", "sphere", 0}},
      {"function of min and max", {"min(x,z)*max(x,z)", "R", 1}, {"min(x,z)*max(x,z)^2", "R+", 1}},
      {"squared difference", {"exp(-(x-z)^2)", "R", 1}, {"exp(-(x-2*z)^2)", "R", 1}},
      {"absolute value", {"laplacian", "R", 0}, {"exp(|x-z|_1)", "R", 0}},
      {"chi-squared distance",
       {"chi2(1)", "R+", 0},
       {"-sum(i, (x[i]-z[i])^2/(x[i]+z[i]))", "R+", 0}},
      {"power of negative type", {"exp(-|x-z|^1.5)", "R", 0}, {"exp(-|x-z|^2.001)", "R", 1}},
      {"logarithm of negative type", {"1/log(2+|x-z|^2)", "R", 0}, {"1/log(2+|x-z|^4)", "R", 1}},
      {"logarithm of divisible",
       {"2^log(prod(i, 1/(1+(x[i]-z[i])^2)))", "R", 0},
       {"2^log(1+x.z)", "R+", 0}},
      {"exp", {"exp(-|x-z|)", "R", 0}, {"exp(-|x-z|^3)", "R", 1}},
      {"inverse power of negative type", {"1/(1+|x-z|)^2", "R", 0}, {"1/(1+|x-z|^4)", "R", 1}},
      {"Matérn of negative type", {"matern(0.7)", "R", 0}, {"(1+2*|x-z|)*exp(-|x-z|)", "R", 1}},
      {"centred", {"|x|+|z|-|x-z|", "R", 0}, {"|x|+|z|-1.001*|x-z|", "R", 1}},
      {"pinned",
       {"exp(-|x-z|) - exp(-|x|)*exp(-|z|)", "R", 0},
       {"exp(-|x-z|) - 1.001*exp(-|x|)*exp(-|z|)", "R", 1}},
      {"odd part", {"|x+z| - |x-z|", "R", 0}, {"|x-z| - |x+z|", "R", 1}},
      {"even part", {"exp(-|x-z|) + exp(-|x+z|)", "R", 0}, {"|x-z| + |x+z|", "R", 1}},
      {"cosine of a difference", {"cos(x-z)", "R", 1}, {"cos(x+z)", "R", 1}},
      {"triangle", {"max(0, 1-|x-z|)", "R", 1}, {"1 - |x-z|", "R", 1}},
      {"minimum", {"min(x,z)", "R+", 1}, {"min(x,z)", "Z", 1}},
      {"minimum, conditionally",
       {"exp(min(x,z) - x*z/9)*exp(x*z)", "R", 1},
       {"exp(max(x,z))", "R", 1}},
      {"Green's function", {"min(x,z) - x*z", "[0,1]", 1}, {"min(x,z) - 1.001*x*z", "[0,1]", 1}},
      {"integrated kernel",
       {"min(x,z)^2*(3*max(x,z)-min(x,z))/6", "R+", 1},
       {"min(x,z)^2*(max(x,z)-min(x,z))", "R+", 1}},
      {"power series", {"exp(x.z) - 0.5*(x.z)^2", "R", 0}, {"exp(x.z) - 0.500001*(x.z)^2", "R", 0}},
      {"polynomial",
       {"2*x1*z1 - x1*z2 - x2*z1 + 2*x2*z2", "R", 2},
       {"x1*z1 + 1.000001*(x1*z2 + x2*z1) + x2*z2", "R", 2}},
      {"polynomial of x.z",
       {"poly(30) - poly(29)", "R", 0},
       {"(x.z+1)^3 - 3.000001*(x.z)^2", "R", 0}},
      {"rational spectral density",
       {"(1-|x-z|)*exp(-|x-z|)", "R", 1},
       {"(1-1.1*|x-z|)*exp(-|x-z|)", "R", 1}},
      {"Gaussian spectral density",
       {"rbf(2) - 0.5*rbf(1)", "R", 2},
       {"rbf(2) - 0.51*rbf(1)", "R", 2}},
      {"Laplace transform",
       {"1/(1+|x-z|) - 1/(2+|x-z|)", "R", 0},
       {"1/(1+|x-z|) - 1.1/(2+|x-z|)", "R", 0}},
      {"exponentials of a root",
       {"2*exp(-|x-z|) - exp(-2*|x-z|)", "R", 0},
       {"exp(-2*|x-z|) - 0.5*exp(-|x-z|)", "R", 2}},
      {"convex and falling", {"1 - |x-z|^0.5", "[0,1]", 1}, {"1 - |x-z|^2", "[0,1]", 1}},
      {"half the length", {"1 - |x-z|", "[0,2]", 1}, {"0.99 - |x-z|", "[0,2]", 1}},
      {"Askey", {"max(0, 1-|x-z|)^2", "R", 3}, {"max(0, 1-|x-z|)", "R", 2}},
      {"Wendland",
       {"max(0, 1-|x-z|)^4*(4*|x-z|+1)", "R", 3},
       {"max(0, 1-|x-z|)^2*(4*|x-z|+1)", "R", 3}},
      {"hyperbolic secant", {"1/cosh(x-z)", "R", 1}, {"1/cosh(x*z)", "R", 1}},
      {"shifted secant", {"1/(2*cosh(x-z) + 1)", "R", 1}, {"1/(cosh(x-z) + 1.2)", "R", 1}},
      {"mean over a period", {"0.64 - abs(sin(x-z))", "R", 1}, {"0.63 - abs(sin(x-z))", "R", 1}},
      {"mean over the sphere", {"exp(x.z) - 1.17", "sphere", 3}, {"exp(x.z) - 1.18", "sphere", 3}},
      {"finite features",
       {"1 - |x|^2 - |z|^2 + |x|^2*|z|^2", "R", 0},
       {"1 - |x|^2 - |z|^2 + 0.99*|x|^2*|z|^2", "R", 0}},
      {"one positive direction", {"1/(1+x+z+x*z)", "R+", 1}, {"1/(1+x+z+1.5*x*z)", "R+", 1}},
      {"products of waves", {"2*cos(x-z)^2 - 1", "R", 1}, {"2*cos(x-z)^2 - 1.001", "R", 1}},
      {"addition theorems", {"1/sinh(x+z)", "R++", 1}, {"cos(x+z)", "R", 1}},
      {"finite domain", {"x^z*z^x", "{1,2}", 1}, {"1 - |x-z|", "{0,1,2,3}", 1}},
  };
  return all;
}

Verdict judge(const Statement& s) {
  mercer::ProofOptions options;
  options.domain = mercer::Domain::parse(s.domain);
  if (s.dimension > 0) options.dimension = s.dimension;
  options.timeout = 60;
  return mercer::prove(Kernel::parse(s.text, {.dimension = options.dimension}), options);
}

void collect(const Derivation& step, std::set<std::string>& names) {
  names.insert(step.rule);
  for (const auto& premise : step.premises) collect(premise, names);
}

TEST(Rules, AreCitedWhereTheyApply) {
  for (const auto& row : rows()) {
    const Verdict v = judge(row.cites);
    ASSERT_TRUE(v.derivation.has_value()) << row.cites.text;
    std::set<std::string> names;
    collect(*v.derivation, names);
    EXPECT_TRUE(names.contains(row.rule))
        << row.cites.text << " is no longer proved by the rule " << row.rule;
  }
}

TEST(Rules, DoNotReachBeyondTheirBorder) {
  for (const auto& row : rows())
    EXPECT_NE(judge(row.beyond).kind, Verdict::Kind::kernel)
        << row.beyond.text << ", beyond the rule " << row.rule;
}

TEST(Rules, HaveARowEach) {
  // Others come before them wherever they apply.
  const std::set<std::string> overtaken{"squared sine of a difference", "power of a product",
                                        "constant, conditionally"};
  for (const auto& rule : mercer::rules())
    EXPECT_TRUE(overtaken.contains(rule.name) ||
                std::ranges::any_of(rows(), [&](const Row& r) { return r.rule == rule.name; }))
        << "add a row for the rule " << rule.name;
}

TEST(Rules, AreTheOnesThatDerivationsCite) {
  std::set<std::string> known;
  for (const auto& rule : mercer::rules()) known.insert(rule.name);
  for (const auto& row : rows()) {
    const Verdict v = judge(row.cites);
    std::set<std::string> names;
    if (v.derivation) collect(*v.derivation, names);
    for (const auto& name : names) EXPECT_TRUE(known.contains(name)) << name;
  }
}

}  // namespace
