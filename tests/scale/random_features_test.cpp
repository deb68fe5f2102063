#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <mercer/error.hpp>
#include <mercer/random_features.hpp>
#include <mercer/sketch.hpp>
#include <numbers>

#include "feature/fft.hpp"
#include "scale/spectrum.hpp"
#include "support/plain_learners.hpp"

namespace mercer {
namespace {

using testing::points_of;
using testing::random_matrix;

constexpr std::array stationary{"rbf(0.3)",
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

// y_k = Σ_j x_j exp(-2πi jk/n), as it is written.
TEST(Fft, IsTheSumAsItIsWritten) {
  constexpr std::size_t L = feature::fft_lanes;
  for (const std::size_t n :
       {1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 8UL, 12UL, 15UL, 20UL, 45UL, 64UL, 100UL}) {
    const Matrix x = random_matrix(n, 2 * L, n);
    std::vector<double> re(n * L);
    std::vector<double> im(n * L);
    std::vector<double> work(2 * n * L);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < L; ++l) {
        re[j * L + l] = x(j, l);
        im[j * L + l] = x(j, L + l);
      }
    const feature::Fft fft(n);
    fft.transform(re.data(), im.data(), work.data());
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t l = 0; l < L; ++l) {
        std::complex<double> sum;
        for (std::size_t j = 0; j < n; ++j)
          sum += std::complex(x(j, l), x(j, L + l)) *
                 std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) /
                                     static_cast<double>(n));
        ASSERT_NEAR(re[k * L + l], sum.real(), 1e-12 * static_cast<double>(n)) << n << ' ' << k;
        ASSERT_NEAR(im[k * L + l], sum.imag(), 1e-12 * static_cast<double>(n)) << n << ' ' << k;
      }
    fft.transform(im.data(), re.data(), work.data());  // the inverse, times n
    for (std::size_t j = 0; j < n; ++j)
      ASSERT_NEAR(re[j * L] / static_cast<double>(n), x(j, 0), 1e-12) << n;
  }
  EXPECT_EQ(feature::smooth_below(2047), 2025U);
  EXPECT_EQ(feature::smooth_above(2049), 2160U);
}

constexpr std::array polynomial{"linear",
                                "linear + 1",
                                "poly(2)",
                                "poly(3, 0)",
                                "poly(3, 2, 0.5)",
                                "0.5*poly(2) + 2*linear + 3",
                                "linear*poly(2)",
                                "poly(2)[1,2]*(linear[3] + 1)",
                                "(1 + poly(2, 1, 0.3))^2",
                                "x1*z1 + x2^2*z2^2",
                                "(1 + 3*x2*z2)*linear",
                                "sqrt(2)*linear + pi",
                                "(linear + x1*z1)*x3*z3"};

// The features of a sketch, with the tensor of each term written out entry by entry.
std::vector<double> plain_sketch(const Sketch& s, std::span<const double> x) {
  std::vector<double> phi;
  for (const auto& t : s.terms) {
    std::vector<double> term(t.size);
    const auto walk = [&](const auto& self, std::size_t f, std::size_t bucket, double v) -> void {
      if (f == t.factors.size()) {
        term[bucket % t.size] += t.amplitude * v;
        return;
      }
      for (std::size_t j = 0; j <= s.dimension; ++j)
        self(self, f + 1, bucket + t.factors[f].bucket[j],
             v * t.factors[f].weight[j] * (j < s.dimension ? x[j] : 1.0));
    };
    walk(walk, 0, 0, 1);
    phi.insert(phi.end(), term.begin(), term.end());
  }
  return phi;
}

TEST(Sketch, IsTheCountSketchOfTheTensor) {
  const Matrix x = random_matrix(21, 3, 5);
  for (const char* text : polynomial)
    for (const std::size_t count : {8UL, 31UL, 100UL}) {
      const Sketch s = sketch(Kernel::parse(text), 3, {.count = count, .seed = 3});
      EXPECT_LE(s.size(), count) << text;
      s.check();
      const Points phi = s.map(points_of(x));
      ASSERT_EQ(phi.columns(), s.size());
      for (std::size_t i = 0; i < x.rows; ++i) {
        const auto truth = plain_sketch(s, x.row(i));
        for (std::size_t j = 0; j < truth.size(); ++j)
          ASSERT_NEAR(phi(i, j), truth[j], 1e-11) << text << ' ' << count << ' ' << i << ' ' << j;
      }
    }
}

// Where there is a bucket for each entry of the tensor, nothing is left to chance.
TEST(Sketch, WithEnoughFeaturesItIsExact) {
  const Matrix x = random_matrix(10, 3, 6);
  for (const char* text : polynomial) {
    const Kernel k = Kernel::parse(text);
    const Sketch s = sketch(k, 3, {.count = 20000});
    for (const auto& t : s.terms) EXPECT_EQ(t.variance, 0) << text;
    const Points phi = s.map(points_of(x));
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double value = k(x.row(i), x.row(j));
        ASSERT_NEAR(product(phi, i, j), value, 1e-10 * (1 + std::abs(value))) << text;
      }
    EXPECT_LE(feature_error(k, s, points_of(x)).bound, 0);
  }
}

// Over many seeds the mean is k, and the mean square of the error is below the variance promised.
TEST(Sketch, IsRightInTheMeanWithTheVarianceSaid) {
  const Matrix x = random_matrix(2, 6, 7);
  for (const char* text : {"linear", "poly(2)", "poly(3)", "poly(2) + 3*linear[2:6]"}) {
    const Kernel k = Kernel::parse(text);
    const double value = k(x.row(0), x.row(1));
    double mean = 0;
    double square = 0;
    double promised = 0;
    constexpr int seeds = 2000;
    for (int seed = 0; seed < seeds; ++seed) {
      const Sketch s = sketch(k, 6, {.count = 5, .seed = static_cast<std::uint64_t>(seed)});
      const double off = product(s.map(points_of(x)), 0, 1) - value;
      mean += off / seeds;
      square += off * off / seeds;
      const auto norms = s.norms(points_of(x));
      promised = 0;
      for (std::size_t t = 0; t < s.terms.size(); ++t)
        promised += s.terms[t].variance * norms[t] * norms[s.terms.size() + t];
    }
    EXPECT_NEAR(mean, 0, 5 * std::sqrt(square / seeds)) << text;
    EXPECT_GT(square, 0) << text;
    EXPECT_LT(square, promised) << text;
  }
}

TEST(Sketch, IsTheSameForZerosLeftOutForAnyThreadsAndInFloats) {
  Matrix x = random_matrix(150, 5, 8);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if ((i + j) % 3 == 0) x(i, j) = 0;
      if (x(i, j) == 0) continue;
      indices.push_back(static_cast<std::int32_t>(j));
      values.push_back(x(i, j));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  const Points sparse = Points::own(offsets, indices, values, 5);
  const Kernel k = Kernel::parse("poly(3) + linear");
  const Sketch s = sketch(k, 5, {.count = 64, .seed = 9});
  const Points one = s.map(points_of(x), 1);
  const Points other = s.map(sparse, 3);
  std::vector<float> floats(150 * s.size());
  s.map(sparse, floats.data(), s.size());
  for (std::size_t i = 0; i < 150; ++i)
    for (std::size_t j = 0; j < s.size(); ++j) {
      ASSERT_EQ(one(i, j), other(i, j));
      ASSERT_EQ(floats[i * s.size() + j], static_cast<float>(one(i, j)));
    }
  EXPECT_EQ(s, sketch(k, 5, {.count = 64, .seed = 9}));
  EXPECT_NE(s, sketch(k, 5, {.count = 64, .seed = 10}));
  const FeatureError e = feature_error(k, s, points_of(x));
  EXPECT_TRUE(e.of_mean_square);
  EXPECT_GT(e.mean_square, 0);
  EXPECT_LT(e.mean_square, e.bound);
}

TEST(Sketch, WhatIsNoPolynomialOfProductsIsRefused) {
  const auto says = [](const char* text, std::size_t count = 100) {
    try {
      sketch(Kernel::parse(text), 3, {.count = count});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(says("rbf(1)"), HasSubstr("rbf(1) is no sum of products"));
  EXPECT_THAT(says("poly(2) + cosine"), HasSubstr("use nystrom"));
  EXPECT_THAT(says("poly(2) - linear"), HasSubstr("subtracts"));
  EXPECT_THAT(says("x1*z2"), HasSubstr("no sum of products"));
  EXPECT_THAT(says("linear^1.5"), HasSubstr("no sum of products"));
  EXPECT_THAT(says("poly(20)"), HasSubstr("no sum of products"));
  EXPECT_THAT(says("(poly(2) + linear^3)^9"), HasSubstr("too many"));
  EXPECT_THAT(says("poly(2) + linear", 1), HasSubstr("too few"));
  EXPECT_THAT(says("0*linear"), HasSubstr("is 0"));
}

}  // namespace
}  // namespace mercer
