// Support vector machines against what weak duality says: the primal and the dual value, both
// computed here from the coefficients alone, meet at the optimum and nowhere else.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/svm.hpp>
#include <numeric>

#include "base/random.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using testing::plain_gram;
using testing::points_of;
using testing::random_matrix;
using Problem = SvmOptions::Problem;

// Kβ, plainly.
std::vector<double> product(const Matrix& K, const std::vector<double>& beta) {
  std::vector<double> f(K.rows);
  for (std::size_t i = 0; i < K.rows; ++i)
    for (std::size_t j = 0; j < K.rows; ++j) f[i] += K(i, j) * beta[j];
  return f;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Values {
  double primal = 0;
  double dual = 0;
};

// The least of a convex function on [a, b].
double least_between(double a, double b, const std::function<double(double)>& value) {
  for (int k = 0; k < 300; ++k) {
    const double left = a + (b - a) / 3;
    const double right = b - (b - a) / 3;
    (value(left) < value(right) ? b : a) = value(left) < value(right) ? right : left;
  }
  return std::min(value(b), value(1));
}

// Of C-classification and regression, with weights; for classes, of the best multiple of the rule.
Values values_of(const Matrix& K, const std::vector<double>& y, const SvmOptions& o, const Svm& s) {
  const auto f = product(K, s.coefficients);
  const double squared = dot(s.coefficients, f);
  Values v{0.5 * squared, -0.5 * squared};
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double C = o.C * (o.weights.empty() ? 1 : o.weights[i]);
    const double beta = s.coefficients[i];
    if (o.problem == Problem::classification) {
      EXPECT_GE(beta * y[i], 0);
      v.dual += beta * y[i];
    } else {
      v.primal += C * std::max(0.0, std::abs(f[i] + s.offset - y[i]) - o.epsilon);
      v.dual += beta * y[i] - o.epsilon * std::abs(beta);
    }
    EXPECT_LE(std::abs(beta), C * (1 + 1e-12));
  }
  if (o.problem == Problem::classification)
    v.primal = least_between(0.5, 2, [&](double t) {
      double sum = 0.5 * t * t * squared;
      for (std::size_t i = 0; i < y.size(); ++i)
        sum += o.C * (o.weights.empty() ? 1 : o.weights[i]) *
               std::max(0.0, 1 - t * y[i] * (f[i] + s.offset));
      return sum;
    });
  if (o.offset) {
    EXPECT_NEAR(std::accumulate(s.coefficients.begin(), s.coefficients.end(), 0.0), 0,
                1e-9 * (1 + o.C));
  }
  return v;
}

// Two classes, one of them around the other, some labels wrong.
struct Data {
  Matrix x;
  std::vector<double> y;
};

Data classes(std::size_t n, std::size_t d, std::uint64_t seed, double wrong = 0.1) {
  Data data{random_matrix(n, d, seed), {}};
  RandomNumbers random(seed + 1);
  for (std::size_t i = 0; i < n; ++i) {
    double length = 0;
    for (const double v : data.x.row(i)) length += v * v;
    const double sign = length > 0.3 * static_cast<double>(d) ? 1 : -1;
    data.y.push_back(random.uniform() < wrong ? -sign : sign);
  }
  data.y[0] = 1;
  data.y[1] = -1;
  return data;
}

Gram gram_of(const Kernel& k, const Matrix& x,
             GramOptions::Precision precision = GramOptions::Precision::float64) {
  GramOptions how;
  how.precision = precision;
  return {k, points_of(x), how};
}

TEST(Svm, PrimalAndDualMeet) {
  std::size_t seed = 1;
  for (const char* text : {"rbf(1)", "linear", "poly(2)", "laplacian(0.5)"})
    for (const double C : {1e-6, 0.01, 1.0, 30.0})
      for (const std::size_t n : {2U, 7U, 60U, 150U}) {
        const Data data = classes(n, 3, ++seed);
        const Kernel k = Kernel::parse(text, {.dimension = 3});
        const Matrix K = plain_gram(k, data.x);
        for (const bool offset : {true, false})
          for (const auto problem : {Problem::classification, Problem::regression}) {
            if (problem == Problem::regression && !offset) continue;
            SvmOptions o{.problem = problem, .C = C, .offset = offset, .tolerance = 1e-7};
            const Svm s = svm(gram_of(k, data.x), data.y, o);
            ASSERT_EQ(s.end, Svm::End::converged) << text << " C " << C << " n " << n;
            const Values v = values_of(K, data.y, o, s);
            const double size = std::max({std::abs(v.primal), std::abs(v.dual), 1e-12});
            EXPECT_NEAR(v.primal, v.dual, 1e-5 * size) << text << " C " << C << " n " << n;
            EXPECT_NEAR(s.primal, v.primal, 1e-7 * size);
            EXPECT_NEAR(s.dual, v.dual, 1e-7 * size);
            EXPECT_NEAR(s.gap(), (v.primal - v.dual) / size, 1e-6);
          }
      }
}

TEST(Svm, TheSameWhateverTheWorkingSetTheMemoryTheThreadsAndTheInstructions) {
  const Data data = classes(400, 4, 5);
  const Kernel k = rbf(2);
  const Matrix K = plain_gram(k, data.x);
  std::optional<double> dual;
  const auto solve = [&](SvmOptions o, GramOptions::Precision precision) {
    o.C = 5;
    o.tolerance = precision == GramOptions::Precision::float64 ? 1e-6 : 1e-4;
    const Svm s = svm(gram_of(k, data.x, precision), data.y, o);
    ASSERT_EQ(s.end, Svm::End::converged);
    const Values v = values_of(K, data.y, o, s);
    if (!dual) dual = v.dual;
    const double room = precision == GramOptions::Precision::float64 ? 1e-7 : 1e-5;
    EXPECT_NEAR(v.dual, *dual, room * *dual);
    EXPECT_LT((v.primal - v.dual) / v.dual, 100 * room);
  };
  using enum GramOptions::Precision;
  for (const std::size_t set : {0U, 8U, 33U, 100U, 512U})
    for (const bool shrinking : {true, false}) {
      solve({.working_set = set, .shrinking = shrinking}, float64);
      solve({.working_set = set, .shrinking = shrinking}, float32);
    }
  for (const std::size_t memory : {0U, 10'000U, 1'000'000U})
    solve({.working_set = 32, .memory = memory}, float64);
  for (const auto& instructions : gram_instructions())
    for (const std::size_t set : {0U, 64U})
      for (const bool offset : {true}) {
        solve({.offset = offset, .working_set = set, .instructions = instructions}, float64);
        solve({.offset = offset, .working_set = set, .instructions = instructions}, float32);
      }
  SvmOptions o{.C = 5, .working_set = 64, .threads = 1};
  const Svm one = svm(gram_of(k, data.x), data.y, o);
  o.threads = 3;
  EXPECT_EQ(one.coefficients, svm(gram_of(k, data.x), data.y, o).coefficients);
}

TEST(Svm, ThoseLeftAsideInSmallProblemsAreLookedAtAgain) {
  const Data data = classes(700, 3, 12, 0.02);
  const Kernel k = rbf(2);
  const Matrix K = plain_gram(k, data.x);
  using enum GramOptions::Precision;
  for (const auto problem : {Problem::classification, Problem::regression})
    for (const double C : {1.0, 100.0})
      for (const bool offset : {true, false})
        for (const auto precision : {float32, float64}) {
          if (problem == Problem::regression && !offset) continue;
          SvmOptions o{.problem = problem, .C = C, .offset = offset};
          o.tolerance = precision == float64 ? 1e-6 : 1e-3;
          const Gram gram = gram_of(k, data.x, precision);
          const Svm s = svm(gram, data.y, o);
          ASSERT_EQ(s.end, Svm::End::converged);
          EXPECT_GT(s.rounds, 1U);  // some were left aside
          EXPECT_LE(s.violation, o.tolerance);
          const Values v = values_of(K, data.y, o, s);
          EXPECT_LT((v.primal - v.dual) / v.dual, precision == float64 ? 1e-5 : 1e-2);
          o.shrinking = false;
          const Svm all = svm(gram, data.y, o);
          EXPECT_EQ(all.rounds, 1U);
          EXPECT_NEAR(s.dual, all.dual, (precision == float64 ? 1e-8 : 1e-4) * all.dual);
        }
}

TEST(Svm, RowsThatAreKeptAndShrinkingOnExpensiveKernels) {
  // 60 coordinates: values are kept, moved along when variables are left aside, and dropped.
  const Data data = classes(900, 60, 9, 0.02);
  const Kernel k = rbf(0.05);
  const Matrix K = plain_gram(k, data.x);
  for (const std::size_t memory : {std::size_t{1} << 30U, std::size_t{400'000}, std::size_t{0}}) {
    SvmOptions o{.C = 10, .tolerance = 1e-6, .working_set = 48, .memory = memory};
    const Svm s = svm(gram_of(k, data.x), data.y, o);
    const Values v = values_of(K, data.y, o, s);
    EXPECT_NEAR(v.primal, v.dual, 1e-4 * v.dual) << memory;
  }
}

TEST(Svm, WeightsAreMorePriceAndZeroLeavesOut) {
  const Data data = classes(80, 2, 3);
  std::vector<double> weights(80, 1.0);
  RandomNumbers random(4);
  for (double& w : weights) w = random.uniform() * 4;
  weights[10] = weights[20] = 0;
  const Kernel k = rbf(1);
  const Matrix K = plain_gram(k, data.x);
  SvmOptions o{.C = 2, .tolerance = 1e-7, .weights = weights};
  const Svm s = svm(gram_of(k, data.x), data.y, o);
  const Values v = values_of(K, data.y, o, s);
  EXPECT_NEAR(v.primal, v.dual, 1e-6 * v.dual);
  EXPECT_EQ(s.coefficients[10], 0);
  // A weight of 2 is the example twice.
  Data twice = data;
  for (std::size_t i = 0; i < 5; ++i) {
    twice.x.values.insert(twice.x.values.end(), data.x.row(i).begin(), data.x.row(i).end());
    ++twice.x.rows;
    twice.y.push_back(data.y[i]);
  }
  std::vector<double> two(80, 1.0);
  std::fill_n(two.begin(), 5, 2.0);
  const Svm a = svm(gram_of(k, twice.x), twice.y, {.C = 2, .tolerance = 1e-8});
  const Svm b = svm(gram_of(k, data.x), data.y, {.C = 2, .tolerance = 1e-8, .weights = two});
  EXPECT_NEAR(a.dual, b.dual, 1e-7 * a.dual);
  EXPECT_NEAR(a.offset, b.offset, 1e-5);
}

TEST(Svm, TheToleranceHoldsInTruthThoughKernelValuesAreFloats) {
  const Data data = classes(300, 2, 31, 0.1);
  const Kernel k = rbf(0.5);
  const Matrix K = plain_gram(k, data.x);
  for (const double C : {1.0, 1e2, 1e4})
    for (const std::size_t set : {0U, 64U}) {
      const SvmOptions o{.C = C, .working_set = set};
      const Svm s = svm(gram_of(k, data.x, GramOptions::Precision::float32), data.y, o);
      ASSERT_EQ(s.end, Svm::End::converged);
      EXPECT_EQ(s.message, "");
      const auto f = product(K, s.coefficients);
      double least = std::numeric_limits<double>::infinity();
      double largest = -least;
      for (std::size_t i = 0; i < data.y.size(); ++i) {
        const double F = f[i] - data.y[i];
        if (s.coefficients[i] < (data.y[i] > 0 ? C : 0)) least = std::min(least, F);
        if (s.coefficients[i] > (data.y[i] > 0 ? 0 : -C)) largest = std::max(largest, F);
      }
      EXPECT_LE(largest - least, o.tolerance) << "C " << C << " set " << set;
      EXPECT_LE(s.violation, o.tolerance);
    }
}

// Gradients in floats are too coarse for these, however exact the kernel values are.
TEST(Svm, TheToleranceHoldsInTruthWhereGradientsAreLarge) {
  Data data = classes(150, 2, 33, 0.1);
  for (std::size_t i = 0; i < data.y.size(); ++i)
    data.y[i] = 3e4 + 500 * std::sin(9 * data.x(i, 0));
  const Kernel k = rbf(5);
  const SvmOptions o{.problem = Problem::regression, .C = 5, .epsilon = 1};
  const Svm s = svm(gram_of(k, data.x, GramOptions::Precision::float32), data.y, o);
  ASSERT_EQ(s.end, Svm::End::converged) << s.message;
  const Values v = values_of(plain_gram(k, data.x), data.y, o, s);
  EXPECT_NEAR(v.primal, v.dual, 1e-4 * v.dual);
}

TEST(Svm, ScoresAreThoseOfTheRule) {
  Data data = classes(120, 2, 35, 0.1);
  const Kernel k = rbf(0.7);
  const Matrix K = plain_gram(k, data.x);
  std::vector<double> weights(data.y.size(), 1.0);
  weights[5] = 0;
  for (const auto problem : {Problem::classification, Problem::nu_classification,
                             Problem::regression, Problem::nu_regression, Problem::one_class}) {
    const Svm s =
        svm(gram_of(k, data.x), data.y,
            {.problem = problem, .C = 3, .nu = 0.4, .tolerance = 1e-6, .weights = weights});
    const auto f = product(K, s.coefficients);
    ASSERT_EQ(s.scores.size(), f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      if (i == 5) {
        EXPECT_TRUE(std::isnan(s.scores[i]));
      } else {
        EXPECT_NEAR(s.scores[i], f[i] + s.offset, 1e-9) << static_cast<int>(problem) << " " << i;
      }
    }
  }
}

// With moves of two variables alone, these take millions of them.
TEST(Svm, ALargeCEndsSoonAndRight) {
  const Kernel k = rbf(0.5);
  for (const auto problem : {Problem::classification, Problem::regression}) {
    Data data = classes(250, 3, 61, 0.2);
    RandomNumbers random(62);
    if (problem == Problem::regression)
      for (std::size_t i = 0; i < data.y.size(); ++i)
        data.y[i] = std::sin(3 * data.x(i, 0)) + random.uniform();
    const Matrix K = plain_gram(k, data.x);
    for (const bool offset : {true, false})
      for (const std::size_t set : {0U, 48U}) {
        if (problem == Problem::regression && !offset) continue;
        const SvmOptions o{
            .problem = problem, .C = 1e6, .offset = offset, .tolerance = 1e-6, .working_set = set};
        const Svm s = svm(gram_of(k, data.x), data.y, o);
        ASSERT_EQ(s.end, Svm::End::converged) << s.message;
        EXPECT_LT(s.moves, 100'000U) << "set " << set << " offset " << offset;
        const Values v = values_of(K, data.y, o, s);
        EXPECT_NEAR(v.primal, v.dual, 1e-6 * v.dual) << "set " << set << " offset " << offset;
        EXPECT_LT(std::abs(s.gap()), 1e-6);
      }
  }
}

// The largest violation that is told is the one of all variables, also of those that were not
// looked at when it ended.
TEST(Svm, TheViolationIsThatOfAllHoweverItEnds) {
  const Data data = classes(600, 3, 41, 0.15);
  const Kernel k = rbf(0.5);
  const Matrix K = plain_gram(k, data.x);
  for (const double C : {1.0, 1e3, 1e6})
    for (const std::size_t rounds : {3U, 6U, 12U, 25U}) {
      SvmOptions o{.C = C, .tolerance = 1e-6, .working_set = 48};
      o.observe = [&](const SvmProgress& p) { return p.rounds < rounds; };
      const Svm s = svm(gram_of(k, data.x), data.y, o);
      const auto f = product(K, s.coefficients);
      double least = std::numeric_limits<double>::infinity();
      double largest = -least;
      for (std::size_t i = 0; i < data.y.size(); ++i) {
        const double F = f[i] - data.y[i];
        if (s.coefficients[i] < (data.y[i] > 0 ? C : 0)) least = std::min(least, F);
        if (s.coefficients[i] > (data.y[i] > 0 ? 0 : -C)) largest = std::max(largest, F);
      }
      EXPECT_NEAR(s.violation, largest - least, 1e-6 * (1 + s.violation)) << C << " " << rounds;
    }
}

TEST(Svm, HardMarginOfTwoPointsIsHalfTheirDistance) {
  const Matrix x{2, 2, {0, 0, 3, 4}, {}};
  const Svm s = svm(gram_of(linear(), x), std::vector<double>{-1, 1},
                    {.problem = Problem::hard_margin, .tolerance = 1e-9});
  EXPECT_EQ(s.end, Svm::End::converged);
  EXPECT_NEAR(*s.margin, 2.5, 1e-9);
  EXPECT_NEAR(s.offset, -1, 1e-9);
  // Through the origin, as the notes write it: the points on a ray at 1 and 3 have margin 1.
  const Matrix rays{2, 1, {1, -3}, {}};
  const Svm through = svm(gram_of(linear(), rays), std::vector<double>{1, -1},
                          {.problem = Problem::hard_margin, .offset = false, .tolerance = 1e-9});
  EXPECT_NEAR(*through.margin, 1, 1e-9);
  EXPECT_EQ(through.offset, 0);
}

TEST(Svm, HardMarginIsTheLimitOfLargeC) {
  const Data data = classes(150, 3, 8, 0.3);  // rbf separates any labels
  const Kernel k = rbf(5);
  const Svm hard =
      svm(gram_of(k, data.x), data.y, {.problem = Problem::hard_margin, .tolerance = 1e-7});
  ASSERT_EQ(hard.end, Svm::End::converged) << hard.message;
  const Svm soft = svm(gram_of(k, data.x), data.y, {.C = 1e9, .tolerance = 1e-7});
  EXPECT_NEAR(*hard.margin, *soft.margin, 1e-6 * *soft.margin);
  const auto f = product(plain_gram(k, data.x), hard.coefficients);
  for (std::size_t i = 0; i < data.y.size(); ++i)
    EXPECT_GE(data.y[i] * (f[i] + hard.offset), 1 - 1e-5);
}

TEST(Svm, HardMarginHasItsValuesOnBothSidesOfTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Data data = classes(40, 3, seed, 0.3);
    SvmOptions o{.problem = Problem::hard_margin, .offset = seed % 3 != 0, .tolerance = 1e-8};
    const double optimum = svm(gram_of(rbf(5), data.x), data.y, o).dual;
    for (const double tolerance : {1e-1, 1e-3}) {
      o.tolerance = tolerance;
      const Svm s = svm(gram_of(rbf(5), data.x), data.y, o);
      EXPECT_EQ(s.message, "");
      EXPECT_LE(s.dual, optimum * (1 + 1e-6));
      EXPECT_GE(s.primal, optimum * (1 - 1e-6));
      EXPECT_LT(s.gap(), 10 * tolerance);
    }
  }
}

TEST(Svm, WhatIsNotSeparableIsSaidWithACertificate) {
  const Data noisy = classes(60, 2, 12, 0.3);
  for (const bool offset : {true, false}) {
    const Svm s = svm(gram_of(linear(), noisy.x), noisy.y,
                      {.problem = Problem::hard_margin, .offset = offset});
    ASSERT_EQ(s.end, Svm::End::not_separable);
    EXPECT_NE(s.message.find("soft margin"), std::string::npos);
    EXPECT_FALSE(s.margin.has_value());
    EXPECT_EQ(s.gap(), std::numeric_limits<double>::infinity());
    // α >= 0, balanced, and its |w| is nothing beside Σ α.
    const auto f = product(plain_gram(linear(), noisy.x), s.coefficients);
    double size = 0;
    for (std::size_t i = 0; i < noisy.y.size(); ++i) {
      EXPECT_GE(s.coefficients[i] * noisy.y[i], 0);
      size += std::abs(s.coefficients[i]);
    }
    EXPECT_LT(std::sqrt(std::max(0.0, dot(s.coefficients, f))), 2e-5 * size);
  }
  // The same point in both classes.
  const Matrix twins{4, 1, {0, 0, 1, 2}, {}};
  const Svm s = svm(gram_of(rbf(1), twins), std::vector<double>{1, -1, 1, -1},
                    {.problem = Problem::hard_margin});
  EXPECT_EQ(s.end, Svm::End::not_separable);
}

// α grows until its gradient is lost in rounding: that is no solution.
TEST(Svm, OnePointInBothClassesIsNotSeparable) {
  for (const std::size_t n : {2U, 50U, 400U})
    for (const bool offset : {true, false})
      for (const auto& [k, columns] : {std::pair(linear(), 2U), std::pair(rbf(1), 2U)}) {
        Matrix x{n, columns, std::vector<double>(n * columns, n == 50 ? 0.0 : 5.0), {}};
        std::vector<double> y;
        for (std::size_t i = 0; i < n; ++i) y.push_back(i % 2 == 0 ? 1 : -1);
        for (const auto precision :
             {GramOptions::Precision::float64, GramOptions::Precision::float32}) {
          const Svm s =
              svm(gram_of(k, x, precision), y, {.problem = Problem::hard_margin, .offset = offset});
          ASSERT_EQ(s.end, Svm::End::not_separable) << n << " " << s.message;
          EXPECT_NE(s.message.find("not separable"), std::string::npos);
          const auto f = product(plain_gram(k, x), s.coefficients);
          double size = 0;
          for (const double b : s.coefficients) size += std::abs(b);
          EXPECT_GT(size, 0);
          EXPECT_LE(std::abs(dot(s.coefficients, f)), 1e-12 * size * size * 50);
        }
      }
}

// Twins among points that are close together beside their distance from the origin.
TEST(Svm, TwinsFarFromTheOriginAreNotSeparable) {
  Matrix x = random_matrix(40, 2, 17);
  for (double& v : x.values) v += 1e5;
  std::vector<double> y;
  for (std::size_t i = 0; i < 40; ++i) y.push_back(x(i, 0) > 1e5 ? 1 : -1);
  x(3, 0) = x(9, 0);
  x(3, 1) = x(9, 1);
  y[3] = -y[9];
  const Svm s = svm(gram_of(linear(), x), y, {.problem = Problem::hard_margin});
  EXPECT_EQ(s.end, Svm::End::not_separable) << s.message;
}

// With an offset the origin is of no importance: what counts is how far points are apart. Whatever
// comes out is never called separated where it is not, nor inseparable where they are separated.
TEST(Svm, WhatIsFarFromTheOriginIsSeparable) {
  RandomNumbers random(3);
  Matrix x{0, 2, {}, {}};
  std::vector<double> y;
  while (y.size() < 300) {
    const double a = 10 * random.uniform();
    const double b = 10 * random.uniform();
    if (std::abs(a + b - 10) < 0.05) continue;
    x.values.insert(x.values.end(), {a, b});
    ++x.rows;
    y.push_back(a + b > 10 ? 1 : -1);
  }
  const SvmOptions o{.problem = Problem::hard_margin};
  const Svm near = svm(gram_of(linear(), x), y, o);
  ASSERT_EQ(near.end, Svm::End::converged);
  for (const double far : {1e3, 1e5, 1e6, 1e8}) {
    Matrix there = x;
    for (double& v : there.values) v += far;
    const Svm s = svm(gram_of(linear(), there), y, o);
    EXPECT_NE(s.end, Svm::End::not_separable) << far << " " << s.message;
    if (far <= 1e5) {
      EXPECT_EQ(s.end, Svm::End::converged) << far << " " << s.message;
      EXPECT_NEAR(*s.margin, *near.margin, 1e-2 * *near.margin);
    }
  }
  // A margin that is small beside the points, but one.
  Matrix thin{4, 1, {-1, 0, 2e-6, 1}, {}};
  const Svm s = svm(gram_of(linear(), thin), std::vector<double>{-1, -1, 1, 1}, o);
  ASSERT_EQ(s.end, Svm::End::converged) << s.message;
  EXPECT_NEAR(*s.margin, 1e-6, 1e-9);
}

TEST(Svm, AHardMarginNeedsAKernelAndSaysWhereItIsNone) {
  const auto told = [](const Kernel& k, const Matrix& x, const std::vector<double>& y,
                       bool offset) -> std::string {
    try {
      const Svm s = svm(gram_of(k, x), y, {.problem = Problem::hard_margin, .offset = offset});
      return "ended: " + s.message;
    } catch (const Error& error) {
      return error.what();
    }
  };
  const Matrix three{3, 2, {1, 2, 2, 1, 3, 3}, {}};
  const std::vector<double> y{1, -1, 1};
  const Kernel minus = Kernel::parse("-1*linear", {.dimension = 2});
  EXPECT_NE(told(minus, three, y, true).find("= -2 for examples 1 and 2"), std::string::npos);
  EXPECT_NE(told(minus, three, y, false).find("k(x,x) = -"), std::string::npos);
  Matrix large = random_matrix(50, 3, 5);
  for (double& v : large.values) v = 100 * (v - 0.5);
  std::vector<double> labels;
  for (std::size_t i = 0; i < 50; ++i) labels.push_back(i % 3 == 0 ? 1 : -1);
  const Kernel k = Kernel::parse("tanh(x.z)+1", {.dimension = 3});
  for (const bool offset : {true, false}) {
    const std::string text = told(k, large, labels, offset);
    EXPECT_NE(text.find("not a kernel on these points"), std::string::npos) << text;
  }
  // Less a constant it is one, as far as an offset can tell.
  const Svm less = svm(gram_of(Kernel::parse("x.z - 100", {.dimension = 2}), three), y,
                       {.problem = Problem::hard_margin});
  const Svm same = svm(gram_of(linear(), three), y, {.problem = Problem::hard_margin});
  EXPECT_EQ(less.end, same.end);
}

TEST(Svm, AMatrixOfTheUsersIsAKernelToo) {
  for (const bool separable : {true, false}) {
    const Data data = classes(60, 2, 12, separable ? 0 : 0.3);
    const Kernel k = separable ? rbf(5) : linear();
    const Matrix K = plain_gram(k, data.x);
    GramOptions how;
    how.precision = GramOptions::Precision::float64;
    how.precomputed = GramOptions::Matrix{K.values.data(), 60, 60};
    const Gram theirs(precomputed(), points_of(data.x), how);
    // A tolerance that rounding does not reach: the largest k(x, x) is asked for.
    for (const double tolerance : {1e-6, 1e-30}) {
      const SvmOptions o{.problem = Problem::hard_margin, .tolerance = tolerance};
      const Svm s = svm(theirs, data.y, o);
      const Svm own = svm(gram_of(k, data.x), data.y, o);
      EXPECT_EQ(s.end, own.end);
      EXPECT_EQ(s.end == Svm::End::not_separable, !separable);
      if (separable) {
        EXPECT_NEAR(s.dual, own.dual, 1e-6 * own.dual);
      }
    }
  }
}

TEST(Svm, NuBoundsTheSharesOfErrorsAndSupport) {
  const Data data = classes(300, 3, 21, 0.1);
  const Kernel k = rbf(1);
  const Matrix K = plain_gram(k, data.x);
  for (const double nu : {0.25, 0.35, 0.45}) {
    const Svm s = svm(gram_of(k, data.x), data.y,
                      {.problem = Problem::nu_classification, .nu = nu, .tolerance = 1e-7});
    ASSERT_EQ(s.end, Svm::End::converged);
    EXPECT_NEAR(s.gap(), 0, 1e-4);
    const auto f = product(K, s.coefficients);
    double errors = 0;
    for (std::size_t i = 0; i < data.y.size(); ++i)
      errors += data.y[i] * (f[i] + s.offset) < 1 - 1e-4 ? 1 : 0;
    EXPECT_LE(errors / 300, nu + 1e-9);
    EXPECT_GE(static_cast<double>(s.support) / 300, nu - 1e-9);
    // C-classification with the C that belongs to it has the same rule.
    double C = 0;
    for (const double b : s.coefficients) C = std::max(C, std::abs(b));
    const Svm same = svm(gram_of(k, data.x), data.y, {.C = C, .tolerance = 1e-7});
    EXPECT_NEAR(same.offset, s.offset, 1e-3);
    EXPECT_NEAR(same.norm, s.norm, 1e-3 * s.norm);
  }
  EXPECT_THROW(svm(gram_of(k, Matrix{4, 1, {1, 2, 3, 4}, {}}), std::vector<double>{1, 1, 1, -1},
                   {.problem = Problem::nu_classification, .nu = 0.9}),
               Error);
}

// The rule is divided by its margin: so is what it violates.
TEST(Svm, NuHasItsToleranceWhateverTheScaleOfTheKernel) {
  const Data data = classes(200, 2, 23, 0.1);
  for (const double nu : {0.15, 0.3}) {
    std::optional<Svm> first;
    for (const char* text : {"rbf(9)", "1e-6*rbf(9)", "1e-9*rbf(9)", "1e6*rbf(9)"})
      for (const auto precision :
           {GramOptions::Precision::float64, GramOptions::Precision::float32}) {
        const Kernel k = Kernel::parse(text, {.dimension = 2});
        const Svm s = svm(gram_of(k, data.x, precision), data.y,
                          {.problem = Problem::nu_classification, .nu = nu});
        ASSERT_EQ(s.end, Svm::End::converged) << text << " " << s.message;
        EXPECT_EQ(s.message, "");
        EXPECT_LT(s.gap(), 0.05) << text;
        EXPECT_LE(s.violation, 1e-3) << text;
        // In truth, with margin 1.
        const auto f = product(plain_gram(k, data.x), s.coefficients);
        double price = 0;  // of the bound, divided like the rest
        for (const double b : s.coefficients) price = std::max(price, std::abs(b));
        for (const double sign : {1.0, -1.0}) {
          double least = std::numeric_limits<double>::infinity();
          double largest = -least;
          for (std::size_t i = 0; i < data.y.size(); ++i) {
            if (data.y[i] != sign) continue;
            const double alpha = sign * s.coefficients[i];
            const double F = sign * f[i];
            if (alpha < price * (1 - 1e-9)) least = std::min(least, F);
            if (alpha > 0) largest = std::max(largest, F);
          }
          EXPECT_LE(largest - least, 1.05e-3) << text;
        }
        if (!first) first = s;
        for (std::size_t i = 0; i < data.y.size(); ++i)
          EXPECT_NEAR(s.scores[i], first->scores[i], 0.05) << text;
      }
  }
}

TEST(Svm, NuWithoutAMarginIsToldAndALargerOneRecommended) {
  Data data = classes(60, 2, 25, 0);
  data.x.values.insert(data.x.values.end(), data.x.values.begin(), data.x.values.begin() + 120);
  data.x.rows = 120;
  for (std::size_t i = 0; i < 60; ++i) data.y.push_back(-data.y[i]);
  for (const auto& k : {linear(), rbf(2)})
    for (const double nu : {0.1, 0.5}) {
      const Svm s =
          svm(gram_of(k, data.x), data.y, {.problem = Problem::nu_classification, .nu = nu});
      EXPECT_EQ(s.end, Svm::End::not_separable) << s.message;
      EXPECT_FALSE(s.margin.has_value());
      EXPECT_NE(s.message.find("no rule with a positive margin"), std::string::npos) << s.message;
      EXPECT_NE(s.message.find("a larger nu"), std::string::npos) << s.message;
      for (const double b : s.coefficients) EXPECT_LE(std::abs(b), 1);  // not divided by rounding
    }
}

TEST(Svm, AWideGapIsSaid) {
  Matrix x = random_matrix(150, 1, 31);
  std::vector<double> y;
  for (std::size_t i = 0; i < 150; ++i) y.push_back(1e-3 * std::sin(9 * x(i, 0)));
  SvmOptions o{.problem = Problem::regression, .epsilon = 1e-4};
  const Svm coarse = svm(gram_of(rbf(2), x), y, o);
  EXPECT_EQ(coarse.end, Svm::End::converged);
  EXPECT_GT(coarse.gap(), 0.1);
  EXPECT_NE(coarse.message.find("apart"), std::string::npos) << coarse.message;
  o.tolerance = 1e-7;
  const Svm fine = svm(gram_of(rbf(2), x), y, o);
  EXPECT_EQ(fine.message, "");
  EXPECT_LT(fine.gap(), 0.01);
}

TEST(Svm, RegressionWithATubeOfItsOwnWidth) {
  Matrix x = random_matrix(200, 1, 31);
  std::vector<double> y;
  RandomNumbers random(32);
  for (std::size_t i = 0; i < 200; ++i)
    y.push_back(std::sin(3 * x(i, 0)) + 0.2 * (random.uniform() - 0.5));
  const Kernel k = rbf(2);
  for (const double nu : {0.2, 0.5}) {
    const Svm s = svm(gram_of(k, x), y,
                      {.problem = Problem::nu_regression, .C = 10, .nu = nu, .tolerance = 1e-7});
    ASSERT_EQ(s.end, Svm::End::converged);
    EXPECT_NEAR(s.gap(), 0, 1e-4);
    ASSERT_TRUE(s.tube.has_value());
    EXPECT_GE(static_cast<double>(s.support) / 200, nu - 0.02);
    const Svm same =
        svm(gram_of(k, x), y,
            {.problem = Problem::regression, .C = 10, .epsilon = *s.tube, .tolerance = 1e-7});
    EXPECT_NEAR(same.offset, s.offset, 1e-3);
    EXPECT_NEAR(same.norm, s.norm, 1e-2 * s.norm);
  }
}

TEST(Svm, OneClassLeavesAShareOutside) {
  const Matrix x = random_matrix(250, 2, 41);
  const Matrix K = plain_gram(rbf(1), x);
  for (const double nu : {0.05, 0.2, 0.7}) {
    const Svm s =
        svm(gram_of(rbf(1), x), {}, {.problem = Problem::one_class, .nu = nu, .tolerance = 1e-7});
    ASSERT_EQ(s.end, Svm::End::converged);
    EXPECT_NEAR(s.gap(), 0, 1e-4);
    const auto f = product(K, s.coefficients);
    double outside = 0;
    for (const double v : f) outside += v + s.offset < -1e-6 ? 1 : 0;
    EXPECT_LE(outside / 250, nu + 1e-9);
    EXPECT_GE(static_cast<double>(s.support) / 250, nu - 1e-9);
  }
}

TEST(Svm, DegenerateProblemsEnd) {
  const auto solve = [](const Matrix& x, const std::vector<double>& y, double C) {
    SvmOptions o{.C = C, .tolerance = 1e-6};
    const Svm s = svm(gram_of(rbf(1), x), y, o);
    EXPECT_EQ(s.end, Svm::End::converged);
    const Values v = values_of(plain_gram(rbf(1), x), y, o, s);
    EXPECT_NEAR(v.primal, v.dual, 1e-4 * std::max(1e-12, std::abs(v.dual))) << C;
  };
  for (const double C : {1e-6, 1.0, 1e6}) {
    solve(Matrix{2, 1, {0, 1}, {}}, {1, -1}, C);                   // one point per class
    solve(Matrix{4, 1, {1, 1, 1, 1}, {}}, {1, -1, 1, -1}, C);      // all the same
    solve(Matrix{6, 2, {0, 5, 1, 5, 0, 5, 1, 5, 2, 5, 2, 5}, {}},  // twins, a constant column
          {1, 1, -1, -1, 1, -1}, C);
  }
}

TEST(Svm, KernelsThatAreNoneEndToo) {
  const Data data = classes(300, 3, 51, 0.2);
  for (const char* text : {"sigmoid(2, c=-1)", "-linear", "|x-z|"}) {
    const Kernel k = Kernel::parse(text, {.dimension = 3});
    for (const std::size_t set : {0U, 32U}) {
      const Svm s = svm(gram_of(k, data.x), data.y, {.moves = 200'000, .working_set = set});
      EXPECT_TRUE(s.end == Svm::End::converged || s.end == Svm::End::moves) << text;
      for (std::size_t i = 0; i < data.y.size(); ++i) {
        EXPECT_TRUE(std::isfinite(s.coefficients[i]));
        EXPECT_LE(std::abs(s.coefficients[i]), 1 + 1e-12);
      }
      if (s.end == Svm::End::moves) {
        EXPECT_NE(s.message.find("moves"), std::string::npos);
      }
    }
  }
}

TEST(Svm, EndsEarlyOnlyWhenToldTo) {
  const Data data = classes(400, 3, 61, 0.2);
  const Svm few = svm(gram_of(rbf(3), data.x), data.y, {.C = 100, .moves = 50});
  EXPECT_EQ(few.end, Svm::End::moves);
  EXPECT_EQ(few.moves, 50U);
  EXPECT_GT(few.violation, 1e-3);
  EXPECT_GT(few.gap(), 0);
  const Svm late =
      svm(gram_of(rbf(3), data.x), data.y, {.C = 100, .seconds = 1e-9, .working_set = 32});
  EXPECT_EQ(late.end, Svm::End::seconds);
  EXPECT_GT(late.violation, 1e-3);
  std::size_t calls = 0;
  const Svm stopped = svm(gram_of(rbf(3), data.x), data.y,
                          {.C = 100, .working_set = 32, .observe = [&](const SvmProgress& p) {
                             EXPECT_EQ(p.rounds, ++calls);
                             return calls < 3;
                           }});
  EXPECT_EQ(stopped.end, Svm::End::interrupted);
  EXPECT_EQ(calls, 3U);
}

TEST(Svm, ATolerancePastRoundingEndsAndIsSaid) {
  const Data data = classes(200, 3, 71, 0.2);
  for (const std::size_t set : {0U, 32U})
    for (const bool offset : {true, false}) {
      SvmOptions o{.C = 1000, .offset = offset, .tolerance = 1e-30, .working_set = set};
      const Svm s = svm(gram_of(rbf(3), data.x), data.y, o);
      EXPECT_TRUE(s.end == Svm::End::stalled || s.end == Svm::End::converged);
      if (s.end == Svm::End::stalled) {
        EXPECT_NE(s.message.find("rounding"), std::string::npos);
      }
      EXPECT_LT(s.violation, 1e-6);
    }
}

// Past any rounding, or with a matrix whose moves make no objective smaller.
TEST(Svm, WhatCannotConvergeEnds) {
  const Data data = classes(40, 3, 73, 0.2);
  SvmOptions o{.problem = Problem::nu_classification, .nu = 0.3};
  o.weights.assign(40, 1e100);
  const Svm large = svm(gram_of(rbf(3), data.x), data.y, o);
  EXPECT_EQ(large.end, Svm::End::stalled);
  EXPECT_NE(large.message.find("rounding"), std::string::npos);
  const Matrix lopsided = random_matrix(40, 40, 79);
  GramOptions gram;
  gram.precomputed = GramOptions::Matrix{lopsided.values.data(), 40, 40};
  const Svm circles = svm(Gram(precomputed(), points_of(data.x), gram), data.y);
  EXPECT_TRUE(circles.end == Svm::End::stalled || circles.end == Svm::End::converged);
}

// Numbers that doubles cannot tell apart: it ends after counted work, and says so.
TEST(Svm, WhatIsLostInRoundingEnds) {
  Data data{random_matrix(80, 3, 83), {}};
  for (double& v : data.x.values) v = std::round(40 * v - 20) / 10;
  const std::vector<double> values = data.x.values;
  data.x.values.insert(data.x.values.end(), values.begin(), values.end());
  data.x.rows = 160;
  data.y.assign(80, 1.0);
  data.y.resize(160, -1.0);
  const Kernel high = Kernel::parse("poly(5)", {.dimension = 3});
  const auto told = [&](const Svm& s, double none) {
    EXPECT_EQ(s.end, Svm::End::stalled) << s.message;
    EXPECT_LT(s.moves, 10'000'000U);
    EXPECT_NE(s.message.find("rounding"), std::string::npos) << s.message;
    EXPECT_EQ(s.message.find("in double"), std::string::npos) << s.message;
    EXPECT_LE(s.primal, none * (1 + 1e-12));
  };
  told(svm(gram_of(high, data.x), data.y, {.C = 1e12}), 1.6e14);
  const Svm less = svm(gram_of(Kernel::parse("x.z - 100", {.dimension = 3}), data.x), data.y,
                       {.problem = Problem::hard_margin});
  EXPECT_EQ(less.end, Svm::End::not_separable) << less.message;
  EXPECT_LT(less.moves, 1'000'000U);
  // Values of 1e40, of which neither differences nor their squares are floats.
  Data large = classes(100, 3, 84, 0.3);
  for (double& v : large.x.values) v *= 1e4;
  told(svm(gram_of(high, large.x), large.y, {.C = 1e-6}), 100e-6);
  told(svm(gram_of(high, large.x), large.y, {.C = 1, .offset = false}), 100);
  const Data some = classes(100, 3, 85, 0.1);
  const Svm scaled =
      svm(gram_of(Kernel::parse("1e40*rbf(1)", {.dimension = 3}), some.x), some.y, {.C = 1e-40});
  EXPECT_EQ(scaled.end, Svm::End::converged) << scaled.message;
}

TEST(Svm, ErrorsNameWhatIsWrong) {
  const Matrix x{3, 1, {1, 2, 3}, {}};
  const Gram K = gram_of(linear(), x);
  const std::vector<double> y{1, -1, 1};
  EXPECT_THROW(svm(K, std::vector<double>{1, 1, 1}), Error);
  EXPECT_THROW(svm(K, std::vector<double>{1, 0, 1}), Error);
  EXPECT_THROW(svm(K, std::vector<double>{1, -1}), Error);
  EXPECT_THROW(svm(K, y, {.C = 0}), Error);
  EXPECT_THROW(svm(K, y, {.C = std::numeric_limits<double>::quiet_NaN()}), Error);
  EXPECT_THROW(svm(K, y, {.tolerance = 0}), Error);
  EXPECT_THROW(svm(K, y, {.weights = {1, 2}}), Error);
  EXPECT_THROW(svm(K, y, {.weights = {0, 0, 0}}), Error);
  EXPECT_THROW(svm(K, y, {.weights = {1, 0, 1}}), Error);
  EXPECT_THROW(svm(K, y, {.problem = Problem::nu_classification, .nu = 0}), Error);
  EXPECT_THROW(svm(K, y, {.problem = Problem::regression, .epsilon = -1}), Error);
  EXPECT_THROW(svm(K, {}, {.problem = Problem::one_class, .offset = false}), Error);
}

}  // namespace
}  // namespace mercer
