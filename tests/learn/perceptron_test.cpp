#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/perceptron.hpp>
#include <numeric>

#include "base/random.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using Sizes = std::initializer_list<std::size_t>;

using testing::plain_gram;
using testing::plain_perceptron;
using testing::points_of;
using testing::random_matrix;

Matrix integers(std::size_t n, std::size_t d, int largest, std::uint64_t seed) {
  RandomNumbers random(seed);
  Matrix x = Matrix::zeros(n, d);
  for (double& v : x.values)
    v = static_cast<double>(random.below(2 * static_cast<std::uint64_t>(largest) + 1)) - largest;
  return x;
}

Matrix signs(std::size_t n, std::size_t columns, std::uint64_t seed) {
  RandomNumbers random(seed);
  Matrix y = Matrix::zeros(n, columns);
  for (double& v : y.values) v = random.below(2) == 0 ? -1 : 1;
  return y;
}

GramOptions exact() {
  GramOptions options;
  options.precision = GramOptions::Precision::float64;
  return options;
}

std::vector<std::vector<std::size_t>> cyclic(std::size_t n, std::size_t passes) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return std::vector<std::vector<std::size_t>>(passes, order);
}

// Kernels with a finite φ whose values on integers are integers.
class FinitePerceptron : public ::testing::TestWithParam<const char*> {};

TEST_P(FinitePerceptron, KernelFormEqualsExplicitFormAndThePlainAlgorithm) {
  const auto k = Kernel::parse(GetParam());
  for (const std::size_t n : Sizes{7, 60, 700}) {
    const Matrix x = integers(n, 2, 3, n);
    const Matrix y = signs(n, n == 700 ? 1 : 3, n + 1);
    const std::size_t passes = n == 700 ? 2 : 6;
    const auto plain = plain_perceptron(plain_gram(k, x), y, cyclic(n, passes));
    const auto p = perceptron(Gram(k, points_of(x), exact()), y, {.passes = passes});
    EXPECT_EQ(p.alpha.values, plain.alpha.values) << n;
    EXPECT_EQ(p.updates, plain.mistakes.size());
    EXPECT_EQ(p.updates, std::accumulate(p.alpha.values.begin(), p.alpha.values.end(), 0.0));

    const Matrix phi = testing::images(k, x);
    // √2 and its like are not exact: only maps of whole numbers are compared step by step.
    bool whole = true;
    for (const double v : phi.values) whole = whole && v == std::round(v);
    if (!whole) continue;
    const auto w = perceptron(points_of(phi), y, {.passes = passes});
    EXPECT_EQ(w.alpha.values, p.alpha.values);
    for (std::size_t c = 0; c < y.columns; ++c)
      for (std::size_t j = 0; j < phi.columns; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += p.coefficients(i, c) * phi(i, j);
        EXPECT_EQ(w.w(j, c), sum);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, FinitePerceptron,
                         ::testing::Values("x.z", "(x.z)^2", "1 + x.z", "x1*z1 + 4*x2*z2",
                                           "(1 + x.z)^3", "x.z + (x.z)^2", "1 + x1*z1*x2*z2"));

TEST(Perceptron, OrdersMarginsAndAveragesAreThoseOfThePlainAlgorithm) {
  const std::size_t n = 1100;  // several blocks
  const Matrix x = integers(n, 3, 4, 1);
  const Matrix y = signs(n, 2, 2);
  const auto k = Kernel::parse("(1 + x.z)^2");
  const Gram K(k, points_of(x), exact());
  const Matrix plain_K = plain_gram(k, x);

  std::vector<std::vector<std::size_t>> orders;
  RandomNumbers random(9);
  auto order = cyclic(n, 1)[0];
  for (int pass = 0; pass < 3; ++pass) {
    random.shuffle(order);
    orders.push_back(order);
  }
  const auto shuffled = perceptron(
      K, y,
      {.passes = 3, .order = PerceptronOptions::Order::shuffled, .seed = 9, .averaged = true});
  const auto plain = plain_perceptron(plain_K, y, orders);
  EXPECT_EQ(shuffled.alpha.values, plain.alpha.values);

  const auto margin = perceptron(K, y, {.passes = 2, .margin = 25});
  EXPECT_EQ(margin.alpha.values, plain_perceptron(plain_K, y, cyclic(n, 2), 25).alpha.values);
}

TEST(Perceptron, TheAverageIsTheMeanOfAllVisits) {
  const std::size_t n = 20;
  const Matrix x = integers(n, 2, 3, 5);
  const Matrix y = signs(n, 1, 6);
  const auto k = Kernel::parse("1 + x.z");
  const Matrix K = plain_gram(k, x);
  std::vector<double> alpha(n);
  std::vector<double> sum(n);
  for (int pass = 0; pass < 3; ++pass)
    for (std::size_t i = 0; i < n; ++i) {
      double f = 0;
      for (std::size_t j = 0; j < n; ++j) f += alpha[j] * K(j, i);
      if (y(i, 0) * f <= 0) alpha[i] += y(i, 0);
      for (std::size_t j = 0; j < n; ++j) sum[j] += alpha[j];
    }
  const auto p = perceptron(Gram(k, points_of(x), exact()), y, {.passes = 3, .averaged = true});
  for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(p.coefficients(j, 0), sum[j] / 60, 1e-12);
}

TEST(Perceptron, RbfOnDistinctPointsAlwaysConverges) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::size_t n = 80;
    const Matrix x = random_matrix(n, 3, seed);
    const Matrix y = signs(n, 1, seed);
    const auto p = perceptron(Gram(rbf(2), points_of(x)), y, {.passes = 100000});
    ASSERT_EQ(p.end, Perceptron::End::converged);
    EXPECT_EQ(p.passes.back().mistakes, 0U);
    EXPECT_GT(p.margins[0], 0);
    ASSERT_TRUE(p.bounds[0]);
    EXPECT_LE(static_cast<double>(p.updates), *p.bounds[0] * (1 + 1e-6));
    EXPECT_NEAR(p.radius, 1, 1e-12);
  }
}

TEST(Perceptron, ABudgetIsKept) {
  const Matrix x = integers(600, 2, 20, 3);
  const Matrix y = signs(600, 2, 4);
  const auto p =
      perceptron(Gram(rbf(0.1), points_of(x)), y, {.passes = 3, .seed = 1, .budget = 50});
  EXPECT_LE(p.passes.back().support, 50U);
  EXPECT_GT(p.passes.back().support, 40U);
  // Scores follow what was dropped: the coefficients give the margin that is reported.
  const Matrix K = plain_gram(rbf(0.1), x);
  for (std::size_t c = 0; c < 2; ++c) {
    double squared = 0;
    double least = 1e300;
    for (std::size_t i = 0; i < 600; ++i) {
      double f = 0;
      for (std::size_t j = 0; j < 600; ++j) f += p.coefficients(j, c) * K(j, i);
      squared += p.coefficients(i, c) * f;
      least = std::min(least, y(i, c) * f);
    }
    EXPECT_NEAR(p.margins[c], least / std::sqrt(squared), 1e-4);
  }
}

TEST(Perceptron, AnObserverEndsIt) {
  const Matrix x = integers(30, 2, 3, 3);
  const Matrix y = signs(30, 1, 4);
  std::size_t seen = 0;
  const auto p =
      perceptron(Gram(linear(), points_of(x)), y, {.observe = [&](const PerceptronPass& pass) {
                   seen = pass.pass;
                   return pass.pass < 3;
                 }});
  EXPECT_EQ(p.end, Perceptron::End::interrupted);
  EXPECT_EQ(seen, 3U);
  EXPECT_EQ(p.passes.size(), 3U);
}

TEST(Perceptron, AnObserverSeesEveryPass) {
  const Matrix x = integers(30, 2, 50, 3);
  const Matrix y = signs(30, 1, 4);
  std::vector<std::size_t> mistakes;
  const auto p =
      perceptron(Gram(rbf(10), points_of(x)), y, {.observe = [&](const PerceptronPass& pass) {
                   mistakes.push_back(pass.mistakes);
                   return pass.mistakes > 0;
                 }});
  EXPECT_EQ(p.end, Perceptron::End::converged);
  ASSERT_EQ(mistakes.size(), p.passes.size());
  EXPECT_EQ(mistakes.back(), 0U);
}

TEST(Perceptron, WeightsCountMistakesAndZeroLeavesOut) {
  const Matrix x = integers(40, 2, 3, 3);
  const Matrix y = signs(40, 1, 4);
  std::vector<double> weights(40, 2.0);
  weights[7] = 0;
  const auto p = perceptron(Gram(linear(), points_of(x)), y, {.passes = 3, .weights = weights});
  EXPECT_EQ(p.alpha(7, 0), 0);
  for (const double a : p.alpha.values) EXPECT_EQ(std::fmod(a, 2.0), 0);
}

TEST(Perceptron, MistakesOfTheUserAreNamed) {
  const Matrix x = integers(4, 2, 3, 3);
  const Gram K(linear(), points_of(x));
  const Gram between(linear(), points_of(x), points_of(integers(3, 2, 3, 1)));
  Matrix y = signs(4, 1, 4);
  EXPECT_THROW(perceptron(between, y), Error);
  EXPECT_THROW(perceptron(K, signs(5, 1, 1)), Error);
  EXPECT_THROW(perceptron(K, y, {.passes = 0}), Error);
  EXPECT_THROW(perceptron(K, y, {.margin = -1}), Error);
  EXPECT_THROW(perceptron(K, y, {.weights = {1, 2}}), Error);
  EXPECT_THROW(perceptron(K, y, {.weights = {0, 0, 0, 0}}), Error);
  y(2, 0) = 0;
  EXPECT_THROW(perceptron(K, y), Error);
}

}  // namespace
}  // namespace mercer
