#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/random_features.hpp>

#include "scale/spectrum.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using testing::points_of;
using testing::random_matrix;

const char* const stationary[] = {"rbf(0.3)",
                                  "laplacian(0.4)",
                                  "exp(-0.7*|x-z|)",
                                  "matern(0.5, 2)",
                                  "matern(1.5, 1)",
                                  "matern(2.5, 0.8)",
                                  "matern(3.5, 0.8)",
                                  "matern(0.8, 1)",
                                  "rq(1, 2)",
                                  "rq(0.4, 1)",
                                  "1/(1 + |x-z|^2)",
                                  "1/(1 + |x-z|_1)",
                                  "periodic(3, 1.5)",
                                  "periodic(2, 0.3)",
                                  "exp(rbf(1))",
                                  "cos(2*(x1-z1))",
                                  "cos(x1 - z1 + x2 - z2)",
                                  "prod(i, 1/(1 + (x[i]-z[i])^2))",
                                  "prod(i, exp(-|x[i]-z[i]|))",
                                  "rbf(0.3) + 1",
                                  "2*rbf(0.1) + 0.5*laplacian(1)",
                                  "rbf(0.2)*matern(1.5)",
                                  "laplacian(0.3)*rq(2, 1)",
                                  "(rbf(0.5) + 0.5)^2",
                                  "rbf(0.5)[1,2]*laplacian(1)[3]",
                                  "rbf(1)[2]",
                                  "3 + rbf(0.3)*(1 + periodic(4, 1))"};

double product(const Points& phi, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t c = 0; c < phi.columns(); ++c) sum += phi(i, c) * phi(j, c);
  return sum;
}

// φ(x)·φ(z) is k(x, z), up to what Hoeffding allows with a chance of 1 - 1e-9.
TEST(RandomFeatures, ApproachEveryStationaryKernel) {
  const Matrix x = random_matrix(12, 3, 1);
  for (const char* text : stationary) {
    const Kernel k = Kernel::parse(text);
    for (const std::size_t count : {200UL, 20000UL}) {
      const RandomFeatures f = random_features(k, 3, {.count = count});
      EXPECT_LE(f.size(), count);
      EXPECT_GE(f.size() + 2, std::min<std::size_t>(count, f.size() + 2));
      const double allowed = std::sqrt(2 * f.spread * std::log(2e9));
      EXPECT_LE(allowed, 8 * k(x.row(0), x.row(0)) / std::sqrt(static_cast<double>(count)) * 8);
      const Points phi = f.map(points_of(x));
      for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j <= i; ++j)
          ASSERT_NEAR(product(phi, i, j), k(x.row(i), x.row(j)), allowed + 1e-4)
              << text << ' ' << count << ' ' << i << ' ' << j;
    }
  }
}

TEST(RandomFeatures, NumbersAsPoints) {
  const Matrix x = random_matrix(8, 1, 2);
  for (const char* text :
       {"exp(-|x-z|)", "exp(-(x-z)^2)", "cos(3*(x-z))", "1/(1 + (x-z)^2)", "exp(-sin(x-z)^2)"}) {
    const Kernel k = Kernel::parse(text, {.dimension = 1});
    const RandomFeatures f = random_features(k, 1, {.count = 20000});
    const Points phi = f.map(points_of(x));
    for (std::size_t i = 0; i < 8; ++i)
      ASSERT_NEAR(product(phi, i, 0), k(x.row(i), x.row(0)), std::sqrt(2 * f.spread * 21)) << text;
  }
}

TEST(RandomFeatures, OrthogonalOnesAreNearer) {
  const Matrix x = random_matrix(60, 16, 3);
  for (const char* text : {"rbf(0.03)", "matern(2.5, 4)"}) {
    const Kernel k = Kernel::parse(text);
    double plain = 0;
    double orthogonal = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
      plain += feature_error(k, random_features(k, 16, {.count = 640, .seed = seed}), points_of(x))
                   .mean_square;
      const auto f = random_features(k, 16, {.count = 640, .orthogonal = true, .seed = seed});
      const auto e = feature_error(k, f, points_of(x));
      EXPECT_LT(e.bound, 0);
      orthogonal += e.mean_square;
    }
    EXPECT_LT(orthogonal, 0.97 * plain) << text;
  }
}

TEST(RandomFeatures, TheErrorReportedIsTheError) {
  const Matrix x = random_matrix(40, 3, 4);
  const RandomFeatures f = random_features(rbf(0.5), 3, {.count = 300, .seed = 9});
  const FeatureError e = feature_error(rbf(0.5), f, points_of(x));
  const Points phi = f.map(points_of(x));
  double largest = 0;
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < i; ++j)
      largest = std::max(largest, std::abs(product(phi, i, j) - rbf(0.5)(x.row(i), x.row(j))));
  EXPECT_NEAR(e.largest, largest, 1e-5);
  EXPECT_EQ(e.pairs, 780U);
  EXPECT_LT(e.mean_square, e.largest);
  EXPECT_LT(e.largest, e.bound);
  EXPECT_NEAR(e.bound, std::sqrt(2.0 / 150 * std::log(2 * 780 / 0.01)), 1e-12);
}

TEST(RandomFeatures, WhatHasNoDensityIsRefused) {
  const auto says = [](const char* text, bool orthogonal = false, std::size_t count = 100) {
    try {
      random_features(Kernel::parse(text), 3, {.count = count, .orthogonal = orthogonal});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(says("poly(2)"), HasSubstr("no spectral density that is known"));
  EXPECT_THAT(says("rbf(1)*linear"), HasSubstr("linear has no spectral density"));
  EXPECT_THAT(says("rbf(1) - 0.5*rbf(2)"), HasSubstr("subtracts"));
  EXPECT_THAT(says("exp(|x-z|^2)"), HasSubstr("no spectral density"));
  EXPECT_THAT(says("min(x1, z1)"), HasSubstr("use nystrom"));
  EXPECT_THAT(says("laplacian(1)", true), HasSubstr("use fourier"));
  EXPECT_THAT(says("rbf(1) + laplacian(1)", false, 1), HasSubstr("too few"));
}

TEST(Draws, HaveTheMomentsOfTheirDistributions) {
  scale::Draws draws(1);
  const std::size_t n = 200000;
  const auto moments = [&](const auto& draw) {
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double v = draw();
      mean += v / static_cast<double>(n);
      square += v * v / static_cast<double>(n);
    }
    return std::pair{mean, square - mean * mean};
  };
  const auto near = [&](const std::pair<double, double>& m, double mean, double variance) {
    EXPECT_NEAR(m.first, mean, 5 * std::sqrt(variance / static_cast<double>(n)));
    EXPECT_NEAR(m.second, variance, 0.05 * variance);
  };
  near(moments([&] { return draws.normal(); }), 0, 1);
  for (const double shape : {0.3, 1.0, 4.5})
    near(moments([&] { return draws.gamma(shape); }), shape, shape);
  for (const double mean : {0.2, 3.0, 70.0})
    near(moments([&] { return static_cast<double>(draws.poisson(mean)); }), mean, mean);
}

}  // namespace
}  // namespace mercer
