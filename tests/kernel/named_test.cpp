// Each named kernel against a plain formula in C++, its written-out formula in the language, and
// the function of the same name.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>
#include <mercer/kernel.hpp>
#include <mercer/properties.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "support/plain_eval.hpp"
#include "support/random.hpp"

namespace {

using mercer::Kernel;
using Point = std::vector<double>;
using Formula = std::function<double(const Point&, const Point&)>;

double dot(const Point& x, const Point& z) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * z[i];
  return total;
}

double squared_distance(const Point& x, const Point& z) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += (x[i] - z[i]) * (x[i] - z[i]);
  return total;
}

double distance(const Point& x, const Point& z) { return std::sqrt(squared_distance(x, z)); }

double distance1(const Point& x, const Point& z) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += std::abs(x[i] - z[i]);
  return total;
}

double over_coordinates(const Point& x, const Point& z,
                        const std::function<double(double, double)>& f) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += f(x[i], z[i]);
  return total;
}

// At random points with coordinates from `low` to 2, in several dimensions.
void expect_values(const std::string& text, const Formula& formula, double low = -2) {
  const Kernel k = Kernel::parse(text);
  Random random(5);
  for (std::size_t dimension = 1; dimension <= 5; ++dimension) {
    for (int i = 0; i < 20; ++i) {
      const Point x = random.point(dimension, low, 2);
      const Point z = i == 0 ? x : random.point(dimension, low, 2);
      const double expected = formula(x, z);
      EXPECT_NEAR(k(x, z), expected, 1e-12 * (1 + std::abs(expected))) << text;
    }
  }
}

void expect_same_properties(const Kernel& a, const Kernel& b) {
  const auto p = mercer::properties(a);
  const auto q = mercer::properties(b);
  EXPECT_EQ(p.symmetric, q.symmetric);
  EXPECT_EQ(p.dot_product, q.dot_product);
  EXPECT_EQ(p.stationary, q.stationary);
  EXPECT_EQ(p.isotropic, q.isotropic);
  EXPECT_EQ(p.degree, q.degree);
  EXPECT_EQ(p.features.kind, q.features.kind);
  EXPECT_EQ(p.features.count, q.features.count);
  EXPECT_EQ(p.defined_on, q.defined_on);
  EXPECT_EQ(p.conditions, q.conditions);
}

// The name and the written-out formula: one kernel.
void expect_is(const std::string& name, const std::string& formula) {
  const Kernel a = Kernel::parse(name);
  const Kernel b = Kernel::parse(formula);
  EXPECT_EQ(a, b) << name << " is " << a.formula() << ", written out " << b.formula();
  EXPECT_EQ(a.hash(), b.hash()) << name;
  EXPECT_EQ(a.text(), b.text());
  EXPECT_EQ(a.formula(), b.formula());
  expect_same_properties(a, b);
  Random random(6);
  for (int i = 0; i < 5; ++i) {
    const Point x = random.point(3, 0, 2);
    const Point z = random.point(3, 0, 2);
    EXPECT_EQ(a(x, z), b(x, z)) << name;
  }
}

TEST(Named, Linear) {
  expect_values("linear", dot);
  expect_values("linear()", dot);
  expect_is("linear", "x.z");
  expect_is("linear", "sum(i, x[i]*z[i])");
  EXPECT_EQ(mercer::linear(), Kernel::parse("linear"));
}

TEST(Named, Poly) {
  expect_values("poly", [](auto& x, auto& z) { return std::pow(dot(x, z) + 1, 3); });
  expect_values("poly(2)", [](auto& x, auto& z) { return std::pow(dot(x, z) + 1, 2); });
  expect_values("poly(4, 0.5, 2)",
                [](auto& x, auto& z) { return std::pow(2 * dot(x, z) + 0.5, 4); });
  expect_values("poly(gamma=-3, degree=5, c=0)",
                [](auto& x, auto& z) { return std::pow(-3 * dot(x, z), 5); });
  expect_values("poly(0)", [](auto&, auto&) { return 1.0; });
  expect_values(
      "poly(0.5, c=1)", [](auto& x, auto& z) { return std::sqrt(dot(x, z) + 1); }, 0);
  expect_values(
      "poly(-2, c=1)", [](auto& x, auto& z) { return std::pow(dot(x, z) + 1, -2); }, 0);
  expect_is("poly", "(x.z + 1)^3");
  expect_is("poly(3)", "poly(3, 1, 1)");
  expect_is("poly(2, 0.5, 0.1)", "(0.1*x.z + 0.5)^2");
  expect_is("poly(degree=2, c=0)", "(x.z)^2");
  expect_is("poly(1, c=0)", "linear");
  expect_is("poly(1.5, gamma=2)", "(1 + 2*x.z)^(3/2)");
  EXPECT_EQ(mercer::poly(), Kernel::parse("poly"));
  EXPECT_EQ(mercer::poly(2), Kernel::parse("poly(2)"));
  EXPECT_EQ(mercer::poly(4, 0.1, 0.3), Kernel::parse("poly(4, 0.1, 0.3)"));
}

TEST(Named, Rbf) {
  expect_values("rbf", [](auto& x, auto& z) { return std::exp(-0.5 * squared_distance(x, z)); });
  expect_values("rbf(2)", [](auto& x, auto& z) { return std::exp(-2 * squared_distance(x, z)); });
  expect_values("rbf(gamma=0.01)",
                [](auto& x, auto& z) { return std::exp(-0.01 * squared_distance(x, z)); });
  expect_values("rbf(sigma=3)",
                [](auto& x, auto& z) { return std::exp(-squared_distance(x, z) / 18); });
  expect_is("rbf(0.5)", "exp(-|x-z|^2/2)");
  expect_is("rbf", "rbf(0.5)");
  expect_is("rbf", "rbf(sigma=1)");
  expect_is("rbf(sigma=2)", "rbf(0.125)");
  expect_is("rbf(sigma=0.1)", "rbf(50)");
  expect_is("rbf(sigma=sqrt(2))", "rbf(1/4)");
  expect_is("rbf(0.3)", "exp(-0.3*sum(i, (x[i]-z[i])^2))");
  expect_is("rbf(1)", "exp(-(x-z).(x-z))");
  expect_is("rbf(1)", "exp(-|z-x|^2)");
  expect_is("rbf(0)", "1");
  EXPECT_EQ(mercer::rbf(), Kernel::parse("rbf"));
  EXPECT_EQ(mercer::rbf(0.1), Kernel::parse("rbf(0.1)"));
  EXPECT_EQ(mercer::rbf_sigma(2), Kernel::parse("rbf(sigma=2)"));
}

TEST(Named, Laplacian) {
  expect_values("laplacian", [](auto& x, auto& z) { return std::exp(-distance1(x, z)); });
  expect_values("laplacian(0.3)",
                [](auto& x, auto& z) { return std::exp(-0.3 * distance1(x, z)); });
  expect_is("laplacian", "exp(-|x-z|_1)");
  expect_is("laplacian(gamma=2)", "exp(-2*sum(i, abs(x[i]-z[i])))");
  expect_is("laplacian(2)", "exp(-2*norm1(z-x))");
  EXPECT_EQ(mercer::laplacian(), Kernel::parse("laplacian"));
  EXPECT_EQ(mercer::laplacian(0.7), Kernel::parse("laplacian(0.7)"));
}

TEST(Named, MaternClosedForms) {
  const double root3 = std::sqrt(3.0);
  const double root5 = std::sqrt(5.0);
  expect_values("matern(0.5, 2)", [](auto& x, auto& z) { return std::exp(-distance(x, z) / 2); });
  expect_values("matern", [&](auto& x, auto& z) {
    const double t = root3 * distance(x, z);
    return (1 + t) * std::exp(-t);
  });
  expect_values("matern(nu=1.5, length=0.5)", [&](auto& x, auto& z) {
    const double t = root3 * distance(x, z) / 0.5;
    return (1 + t) * std::exp(-t);
  });
  expect_values("matern(5/2, 3)", [&](auto& x, auto& z) {
    const double t = root5 * distance(x, z) / 3;
    return (1 + t + t * t / 3) * std::exp(-t);
  });
  expect_is("matern(0.5)", "exp(-|x-z|)");
  expect_is("matern(1/2, length=2)", "exp(-|x-z|/2)");
  expect_is("matern", "(1 + sqrt(3)*|x-z|)*exp(-sqrt(3)*|x-z|)");
  expect_is("matern(1.5, 3)", "(1 + sqrt(3)*|x-z|/3)*exp(-sqrt(3)*|x-z|/3)");
  expect_is("matern(2.5)", "(1 + sqrt(5)*|x-z| + 5*|x-z|^2/3)*exp(-sqrt(5)*|x-z|)");
  EXPECT_EQ(mercer::matern(), Kernel::parse("matern"));
  EXPECT_EQ(mercer::matern(2.5, 0.1), Kernel::parse("matern(2.5, 0.1)"));
  EXPECT_EQ(mercer::matern(3), Kernel::parse("matern(3)"));
}

// nu = 7/2 and 9/2 have closed forms too, which the library does not use.
TEST(Named, MaternOfHalfIntegers) {
  expect_values("matern(3.5)", [](auto& x, auto& z) {
    const double t = std::sqrt(7.0) * distance(x, z);
    return (1 + t + 2 * t * t / 5 + t * t * t / 15) * std::exp(-t);
  });
  expect_values("matern(4.5, length=2)", [](auto& x, auto& z) {
    const double t = 3 * distance(x, z) / 2;
    return (1 + t + 3 * t * t / 7 + 2 * t * t * t / 21 + t * t * t * t / 105) * std::exp(-t);
  });
}

double matern_at(const std::string& nu, double t) {
  // On the line, with sqrt(2 nu) |x-z| / length = t.
  const Kernel k = Kernel::parse("matern(" + nu + ", length=sqrt(2*" + nu + "))");
  const Point x{t};
  const Point z{0};
  return k(x, z);
}

TEST(Named, MaternAgainstTheIntegral) {
  for (const char* nu : {"0.01", "0.1", "0.3", "0.5", "0.75", "1",   "1.5", "2",   "2.5", "3.3",
                         "10",   "30",  "64",  "99",  "99.9", "100", "101", "150", "400", "1000"}) {
    const double order = std::stod(nu);
    for (const double t : {1e-150, 1e-50, 1e-12, 1e-8, 1e-4, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0,
                           30.0, 100.0, 200.0, 600.0}) {
      const auto expected = static_cast<double>(
          plain::matern(static_cast<long double>(order), static_cast<long double>(t)));
      // Below the normal range of doubles only the absolute error counts.
      EXPECT_NEAR(matern_at(nu, t), expected, 2e-13 * expected + 1e-300) << nu << " " << t;
    }
    EXPECT_EQ(matern_at(nu, 0), 1) << nu;
  }
}

TEST(Named, MaternIsMonotoneAndWithinOne) {
  for (const char* nu : {"0.2", "1", "7", "99.99", "100", "333"}) {
    double before = 1;
    for (int step = -80; step <= 35; ++step) {
      const double t = std::pow(1.3, step);
      const double v = matern_at(nu, t);
      EXPECT_LE(v, before * (1 + 1e-13)) << nu << " " << t;
      EXPECT_GE(v, 0) << nu << " " << t;
      before = v;
    }
  }
}

TEST(Named, MaternTendsToRbf) {
  const Kernel limit = Kernel::parse("rbf(sigma=2)");
  const Point x{0.5, 1};
  const Point z{-1, 2};
  double before = 1;
  for (const char* nu : {"1", "10", "100", "1000"}) {
    const Kernel k = Kernel::parse("matern(" + std::string(nu) + ", length=2)");
    const double off = std::abs(k(x, z) - limit(x, z));
    EXPECT_LT(off, before / 5) << nu;
    before = off;
  }
  const Kernel far = Kernel::parse("matern(1e8, length=2)");
  EXPECT_NEAR(far(x, z), limit(x, z), 1e-8);
}

TEST(Named, Rq) {
  expect_values("rq", [](auto& x, auto& z) { return 1 / (1 + squared_distance(x, z) / 2); });
  expect_values("rq(alpha=2.5, length=0.3)", [](auto& x, auto& z) {
    return std::pow(1 + squared_distance(x, z) / (2 * 2.5 * 0.09), -2.5);
  });
  expect_is("rq", "1/(1 + |x-z|^2/2)");
  expect_is("rq(2, 3)", "(1 + |x-z|^2/36)^-2");
  expect_is("rq(alpha=0.5, length=0.1)", "1/sqrt(1 + 100*|x-z|^2)");
  EXPECT_EQ(mercer::rq(), Kernel::parse("rq"));
  EXPECT_EQ(mercer::rq(0.5, 2), Kernel::parse("rq(0.5, 2)"));
}

TEST(Named, Periodic) {
  const auto formula = [](double period, double length) {
    return [=](const Point& x, const Point& z) {
      const double total = over_coordinates(x, z, [&](double a, double b) {
        const double s = std::sin(std::numbers::pi * (a - b) / period);
        return s * s;
      });
      return std::exp(-2 * total / (length * length));
    };
  };
  expect_values("periodic", formula(1, 1));
  expect_values("periodic(2.5, 0.7)", formula(2.5, 0.7));
  expect_values("periodic(length=3, period=0.1)", formula(0.1, 3));
  expect_is("periodic", "exp(-2*sum(i, sin(pi*(x[i]-z[i]))^2))");
  expect_is("periodic(2, 3)", "exp(-2*sum(i, sin(pi*(x[i]-z[i])/2)^2)/9)");
  const Kernel k = Kernel::parse("periodic(0.75)");
  const Point x{0.25, -1};
  const Point z{1, 0.5};
  const Point far{1 + 3 * 0.75, 0.5 - 5 * 0.75};
  EXPECT_NEAR(k(x, z), k(x, far), 1e-13);
  EXPECT_EQ(mercer::periodic(), Kernel::parse("periodic"));
  EXPECT_EQ(mercer::periodic(2, 0.5), Kernel::parse("periodic(2, 0.5)"));
}

TEST(Named, Sigmoid) {
  expect_values("sigmoid", [](auto& x, auto& z) { return std::tanh(dot(x, z)); });
  expect_values("sigmoid(0.1, c=-2)",
                [](auto& x, auto& z) { return std::tanh(0.1 * dot(x, z) - 2); });
  expect_is("sigmoid", "tanh(x.z)");
  expect_is("sigmoid(2, -1)", "tanh(2*x.z - 1)");
  expect_is("sigmoid(gamma=-1, c=1)", "tanh(1 - x.z)");
  EXPECT_EQ(mercer::sigmoid(), Kernel::parse("sigmoid"));
  EXPECT_EQ(mercer::sigmoid(0.25, -1), Kernel::parse("sigmoid(0.25, -1)"));
}

TEST(Named, Cosine) {
  expect_values("cosine", [](auto& x, auto& z) {
    return dot(x, z) / (std::sqrt(dot(x, x)) * std::sqrt(dot(z, z)));
  });
  expect_is("cosine", "x.z/(|x|*|z|)");
  expect_is("cosine", "normalize(linear)");
  expect_is("cosine", "normalize(3*x.z)");
  const Kernel k = mercer::cosine();
  EXPECT_EQ(k, Kernel::parse("cosine"));
  const Point zero{0, 0};
  const Point z{3, 4};
  EXPECT_EQ(k(zero, z), 0);
  EXPECT_EQ(k(z, zero), 0);
  EXPECT_EQ(k(zero, zero), 0);
}

TEST(Named, Intersection) {
  const Formula formula = [](const Point& x, const Point& z) {
    return over_coordinates(x, z, [](double a, double b) { return std::min(a, b); });
  };
  expect_values("intersection", formula, 0);
  expect_values("intersection", formula);
  expect_is("intersection", "sum(i, min(x[i], z[i]))");
  expect_is("intersection", "min(x,z)");
  expect_is("intersection", "sum(i, min(z[i], x[i]))");
  EXPECT_EQ(mercer::intersection(), Kernel::parse("intersection"));
}

TEST(Named, Chi2) {
  const auto formula = [](double gamma) {
    return [gamma](const Point& x, const Point& z) {
      return std::exp(-gamma * over_coordinates(x, z, [](double a, double b) {
        return a + b == 0 ? 0 : (a - b) * (a - b) / (a + b);
      }));
    };
  };
  expect_values("chi2", formula(1), 0);
  expect_values("chi2(0.2)", formula(0.2), 0);
  expect_values("chi2(gamma=3)", formula(3), 0);
  expect_is("chi2", "exp(-sum(i, (x[i]-z[i])^2/(x[i]+z[i])))");
  expect_is("chi2(2)", "exp(-2*sum(i, (x[i]-z[i])^2/(x[i]+z[i])))");
  expect_is("chi2(2)", "exp(-2*sum(i, (z[i]-x[i])^2/(z[i]+x[i])))");
  const Kernel k = mercer::chi2();
  EXPECT_EQ(k, Kernel::parse("chi2"));
  const Point zero{0, 0};
  const Point half{0, 2};
  EXPECT_EQ(k(zero, zero), 1);
  EXPECT_DOUBLE_EQ(k(zero, half), std::exp(-2.0));
  EXPECT_EQ(k(half, half), 1);
  const Point x{1, 1};
  const Point opposite{-1, 1};
  EXPECT_THROW(k(x, opposite), mercer::EvaluationError);  // (x1-z1)^2/0
}

TEST(Named, Subsets) {
  expect_values("subsets", [](auto& x, auto& z) {
    double product = 1;
    for (std::size_t i = 0; i < x.size(); ++i) product *= 1 + x[i] * z[i];
    return product;
  });
  expect_is("subsets", "prod(i, 1 + x[i]*z[i])");
  EXPECT_EQ(mercer::subsets(), Kernel::parse("subsets"));
}

// By enumeration of all sets of `degree` coordinates.
double anova(unsigned degree, const Point& x, const Point& z) {
  double total = 0;
  for (std::size_t set = 0; set < std::size_t{1} << x.size(); ++set) {
    double product = 1;
    unsigned members = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      product *= x[i] * z[i];
      ++members;
    }
    if (members == degree) total += product;
  }
  return total;
}

TEST(Named, Anova) {
  for (unsigned degree = 1; degree <= 6; ++degree)
    expect_values("anova(" + std::to_string(degree) + ")",
                  [degree](auto& x, auto& z) { return anova(degree, x, z); });
  expect_values("anova", [](auto& x, auto& z) { return anova(2, x, z); });
  expect_is("anova(1)", "linear");
  expect_is("anova(3)[1:2]", "0");
  EXPECT_EQ(mercer::anova(), Kernel::parse("anova"));
  EXPECT_EQ(mercer::anova(4), Kernel::parse("anova(4)"));
  // All sets together are all subsets.
  Random random(9);
  const Kernel all = Kernel::parse("1 + anova(1) + anova(2) + anova(3) + anova(4)");
  const Point x = random.point(4, -2, 2);
  const Point z = random.point(4, -2, 2);
  EXPECT_NEAR(all(x, z), mercer::subsets()(x, z), 1e-12);
}

TEST(Named, Const) {
  expect_values("const", [](auto&, auto&) { return 1.0; });
  expect_values("const(-2.5)", [](auto&, auto&) { return -2.5; });
  expect_is("const", "1");
  expect_is("const(c=1/3)", "1/3");
  EXPECT_EQ(mercer::constant(), Kernel::parse("const"));
  EXPECT_EQ(mercer::constant(0.1), Kernel::parse("const(0.1)"));
  EXPECT_EQ(mercer::constant(0.1), Kernel(0.1));
}

TEST(Named, Precomputed) { EXPECT_EQ(mercer::precomputed(), Kernel::parse("precomputed")); }

TEST(Named, OperatorsInCppAndInText) {
  using mercer::linear;
  using mercer::poly;
  using mercer::rbf;
  const auto parse = [](const char* text) { return Kernel::parse(text); };
  const Kernel k = rbf(0.5);
  EXPECT_EQ(rbf(0.5) * poly(2) + 0.1 * linear(), parse("rbf(0.5)*poly(2) + 0.1*linear"));
  EXPECT_EQ(k + 1, parse("rbf(0.5) + 1"));
  EXPECT_EQ(2 - k, parse("2 - rbf(0.5)"));
  EXPECT_EQ(-k, parse("-rbf(0.5)"));
  EXPECT_EQ(k / 3, parse("rbf(0.5)/3"));
  EXPECT_EQ(1 / (2 + linear()), parse("1/(2 + x.z)"));
  EXPECT_EQ(pow(linear(), 0.5), parse("(x.z)^0.5"));
  EXPECT_EQ(pow(linear() + 1, 3), parse("poly"));
  EXPECT_EQ(exp(linear()), parse("exp(x.z)"));
  EXPECT_EQ(log(linear() + 2), parse("log(x.z + 2)"));
  EXPECT_EQ(sqrt(linear()), parse("sqrt(x.z)"));
  EXPECT_EQ(cos(linear()), parse("cos(x.z)"));
  EXPECT_EQ(sin(linear()), parse("sin(x.z)"));
  EXPECT_EQ(cosh(linear()), parse("cosh(x.z)"));
  EXPECT_EQ(sinh(linear()), parse("sinh(x.z)"));
  EXPECT_EQ(tanh(linear()), parse("sigmoid"));
  EXPECT_EQ(asin(mercer::cosine()), parse("asin(cosine)"));
  EXPECT_EQ(abs(linear()), parse("abs(x.z)"));
  EXPECT_EQ(min(linear(), k), parse("min(x.z, rbf(0.5))"));
  EXPECT_EQ(max(linear(), k), parse("max(x.z, rbf(0.5))"));
  EXPECT_EQ(normalize(linear()), parse("cosine"));
}

TEST(Named, DoublesEnterAsTheShortestDecimal) {
  EXPECT_EQ(mercer::rbf(0.1).text(), "rbf(0.1)");
  EXPECT_EQ(0.1 * mercer::linear() + 0.2 * mercer::linear(), 0.3 * mercer::linear());
  EXPECT_EQ(Kernel(1e-300), Kernel::parse("1e-300"));
  EXPECT_THROW(Kernel(std::nan("")), mercer::Error);
  EXPECT_THROW(mercer::rbf(HUGE_VAL), mercer::Error);
}

TEST(Named, ParametersOutOfRangeAreRefused) {
  EXPECT_THROW(mercer::matern(0), mercer::Error);
  EXPECT_THROW(mercer::matern(-1), mercer::Error);
  EXPECT_THROW(mercer::matern(1.5, 0), mercer::Error);
  EXPECT_THROW(mercer::rbf_sigma(0), mercer::Error);
  EXPECT_THROW(mercer::rq(0), mercer::Error);
  EXPECT_THROW(mercer::periodic(0), mercer::Error);
  EXPECT_THROW(mercer::anova(0), mercer::Error);
  EXPECT_THROW(mercer::anova(1.5), mercer::Error);
}

// Where the catalogue gives a formula in the language, the name with its defaults is that formula.
TEST(Named, CatalogueFormulasAreTheKernels) {
  for (const auto& info : mercer::catalogue()) {
    std::string formula(info.formula);
    for (const auto& p : info.parameters) {
      if (p.default_value.empty()) continue;
      for (auto at = formula.find(p.name); at != std::string::npos; at = formula.find(p.name, at)) {
        const auto letter = [&](std::size_t i) {
          return i < formula.size() && std::isalpha(static_cast<unsigned char>(formula[i])) != 0;
        };
        const bool whole = !letter(at + p.name.size()) && (at == 0 || !letter(at - 1));
        if (whole) formula.replace(at, p.name.size(), "(" + std::string(p.default_value) + ")");
        at += whole ? p.default_value.size() + 2 : p.name.size();
      }
    }
    if (info.name == "matern" || info.name == "anova" || info.name == "precomputed") continue;
    expect_is(std::string(info.name), formula);
  }
}

}  // namespace
