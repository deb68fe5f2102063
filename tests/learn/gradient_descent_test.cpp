#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/features.hpp>
#include <mercer/gradient_descent.hpp>
#include <mercer/ridge.hpp>

#include "base/random.hpp"
#include "learn/lanczos.hpp"
#include "numeric/eigen.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using Sizes = std::initializer_list<std::size_t>;

using testing::plain_gram;
using testing::points_of;
using testing::random_matrix;

double largest_of(Matrix K) { return numeric::eigen(K.values.data(), K.rows).values.back(); }

TEST(Lanczos, TheLargestEigenvalueAndItsError) {
  for (const std::size_t n : Sizes{1, 2, 5, 80}) {
    const Matrix K = plain_gram(Kernel::parse("rbf(0.3)"), random_matrix(n, 2, n));
    const auto found =
        learn::largest_eigenvalue(n, [&](std::span<const double> v, std::span<double> to) {
          for (std::size_t i = 0; i < n; ++i) {
            to[i] = 0;
            for (std::size_t j = 0; j < n; ++j) to[i] += K(i, j) * v[j];
          }
        });
    const double truth = largest_of(K);
    EXPECT_LE(found.value, truth * (1 + 1e-12));
    EXPECT_GE(found.value + found.error, truth * (1 - 1e-3));
  }
}

class FiniteDescent : public ::testing::TestWithParam<const char*> {};

TEST_P(FiniteDescent, EqualsDescentOnWInExplicitFeaturesAtEveryStep) {
  const auto k = Kernel::parse(GetParam());
  const std::size_t n = 30;
  const Matrix x = random_matrix(n, 2, 1);
  const Matrix y = random_matrix(n, 2, 2);
  const Matrix phi = testing::images(k, x);
  for (const std::size_t batch : Sizes{0, 7}) {
    GradientDescentOptions options{.passes = 12, .momentum = 0.3, .batch = batch, .tolerance = 0};
    options.step = 0.2 / largest_of(plain_gram(k, x));
    options.gram.precision = GramOptions::Precision::float64;
    std::vector<Matrix> alphas;
    std::vector<Matrix> ws;
    options.each_step = [&](const Matrix& m) { alphas.push_back(m); };
    gradient_descent(k, points_of(x), y, options);
    options.each_step = [&](const Matrix& m) { ws.push_back(m); };
    gradient_descent(points_of(phi), y, options);
    ASSERT_EQ(alphas.size(), ws.size());
    ASSERT_EQ(alphas.size(), batch == 0 ? 12U : 60U);
    for (std::size_t t = 0; t < ws.size(); ++t)
      for (std::size_t j = 0; j < phi.columns; ++j)
        for (std::size_t c = 0; c < 2; ++c) {
          double sum = 0;
          for (std::size_t i = 0; i < n; ++i) sum += alphas[t](i, c) * phi(i, j);
          ASSERT_NEAR(ws[t](j, c), sum, 1e-10) << "step " << t;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, FiniteDescent,
                         ::testing::Values("x.z", "(1 + x.z)^2", "0.5 + x1*z1", "(x.z)^3"));

TEST(GradientDescent, TheLossFallsAtEveryStepBelowTheBoundAndGrowsAboveIt) {
  const Matrix x = random_matrix(60, 3, 1);
  const Matrix y = random_matrix(60, 1, 2);
  const double lambda = largest_of(plain_gram(rbf(0.2), x));
  for (const double share : {0.1, 0.5, 0.99}) {
    const auto g = gradient_descent(rbf(0.2), points_of(x), y,
                                    {.passes = 50, .step = share / lambda, .tolerance = 0});
    double before = g.initial_loss;
    for (const auto& pass : g.passes) {
      ASSERT_LT(pass.loss, before) << share << ' ' << pass.pass;
      before = pass.loss;
    }
  }
  const auto g = gradient_descent(rbf(0.2), points_of(x), y,
                                  {.passes = 10000, .step = 1.3 / lambda, .tolerance = 0});
  EXPECT_EQ(g.end, GradientDescent::End::diverged);
  EXPECT_LT(g.passes.size(), 10000U);
  EXPECT_NE(g.message.find("too large"), std::string::npos);
  for (const double a : g.alpha.values) EXPECT_TRUE(std::isfinite(a));
}

TEST(GradientDescent, ATinyStepIsToldApartFromTheEnd) {
  const Matrix x = random_matrix(60, 3, 1);
  const Matrix y = random_matrix(60, 1, 2);
  const auto g = gradient_descent(rbf(0.2), points_of(x), y, {.passes = 100, .step = 1e-300});
  EXPECT_NE(g.message.find("the step 1e-300 is small"), std::string::npos) << g.message;
}

TEST(GradientDescent, TheStepIsChosenBelowTheBound) {
  const Matrix x = random_matrix(60, 3, 1);
  const Matrix y = random_matrix(60, 1, 2);
  std::vector<double> weights(60);
  RandomNumbers random(3);
  for (double& w : weights) w = random.uniform() * 5;
  Matrix K = plain_gram(rbf(0.2), x);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 60; ++j) K(i, j) *= std::sqrt(weights[i] * weights[j]);
  const double lambda = largest_of(K);
  const auto g = gradient_descent(rbf(0.2), points_of(x), y, {.passes = 3, .weights = weights});
  EXPECT_LT(g.step, 1 / lambda);
  EXPECT_GT(g.step, 0.8 / lambda);
  EXPECT_NEAR(g.lambda_max, lambda, 2e-3 * lambda);
}

TEST(GradientDescent, EarlyStoppingKeepsTheBest) {
  const std::size_t n = 200;
  const Matrix x = random_matrix(n, 1, 1);
  Matrix y = random_matrix(n, 1, 2);  // noise, and a little to learn
  for (std::size_t i = 0; i < n; ++i) y(i, 0) += std::sin(2 * x(i, 0));
  const auto g = gradient_descent(
      rbf(20), points_of(x), y, {.passes = 3000, .tolerance = 0, .held_out = 0.3, .patience = 20});
  EXPECT_EQ(g.end, GradientDescent::End::early_stopped);
  ASSERT_TRUE(g.passes.back().held_out);
  std::size_t held = 0;
  for (const double a : g.alpha.values) held += a == 0 ? 1U : 0U;
  EXPECT_EQ(held, 60U);
}

TEST(GradientDescent, ThePreconditionerGetsWhereRidgeGets) {
  const std::size_t n = 900;
  const Matrix x = random_matrix(n, 2, 1);
  Matrix y = random_matrix(n, 2, 2);
  for (std::size_t i = 0; i < n; ++i) y(i, 0) = std::sin(3 * x(i, 0)) + 0.1 * y(i, 0);
  const auto r = ridge(rbf(2), points_of(x), y, {.lambda = 1});
  double loss = 0;
  const Matrix K = plain_gram(rbf(2), x);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < 2; ++c) {
      double f = -y(i, c);
      for (std::size_t j = 0; j < n; ++j) f += K(i, j) * r.alpha(j, c);
      loss += f * f;
    }
  const auto plain = gradient_descent(rbf(2), points_of(x), y, {.passes = 30, .tolerance = 0});
  const auto fast = gradient_descent(rbf(2), points_of(x), y,
                                     {.passes = 30, .tolerance = 0, .eigenvectors = 100});
  EXPECT_GT(plain.passes.back().loss, 1.01 * loss);
  EXPECT_LT(fast.passes.back().loss, 1.01 * loss);
  EXPECT_EQ(fast.eigenvectors, 100U);
}

TEST(GradientDescent, MistakesOfTheUserAreNamed) {
  const Matrix x = random_matrix(5, 2, 1);
  const Matrix y = random_matrix(5, 1, 2);
  const Points p = points_of(x);
  EXPECT_THROW(gradient_descent(rbf(1), p, random_matrix(4, 1, 1)), Error);
  EXPECT_THROW(gradient_descent(rbf(1), p, y, {.passes = 0}), Error);
  EXPECT_THROW(gradient_descent(rbf(1), p, y, {.step = -1.0}), Error);
  EXPECT_THROW(gradient_descent(rbf(1), p, y, {.momentum = 1}), Error);
  EXPECT_THROW(gradient_descent(rbf(1), p, y, {.held_out = 1}), Error);
  EXPECT_THROW(gradient_descent(rbf(1), p, y, {.held_out = 1e-9}), Error);
}

}  // namespace
}  // namespace mercer
