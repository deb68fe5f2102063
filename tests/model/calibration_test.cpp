// The sigmoid against its definition: where the loss is least, by a slow search of its own.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <mercer/calibration.hpp>
#include <mercer/error.hpp>

#include "support/random.hpp"

namespace {

using mercer::fit_sigmoid;
using mercer::Model;

struct Sample {
  std::vector<double> f;
  std::vector<char> y;
  std::vector<double> w;  // or none

  [[nodiscard]] Model::Sigmoid fitted() const { return fit_sigmoid(f, y, w); }
  [[nodiscard]] double weight(std::size_t i) const { return w.empty() ? 1 : w[i]; }
  [[nodiscard]] double weight_of(bool positive) const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      if ((y[i] != 0) == positive) sum += weight(i);
    return sum;
  }
  [[nodiscard]] double target(std::size_t i) const {
    return y[i] != 0 ? (weight_of(true) + 1) / (weight_of(true) + 2) : 1 / (weight_of(false) + 2);
  }
  [[nodiscard]] double loss(double slope, double offset) const {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double s = slope * f[i] + offset;
      const double log_all = s > 0 ? s + std::log1p(std::exp(-s)) : std::log1p(std::exp(s));
      sum += weight(i) * (log_all - (1 - target(i)) * s);
    }
    return sum;
  }
  // The derivatives, by hand.
  [[nodiscard]] std::array<double, 2> gradient(const Model::Sigmoid& at) const {
    std::array<double, 2> g{0, 0};
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double p = 1 / (1 + std::exp(at.slope * f[i] + at.offset));
      g[0] += weight(i) * (target(i) - p) * f[i];
      g[1] += weight(i) * (target(i) - p);
    }
    return g;
  }
};

Sample noisy(Random& random, std::size_t n, bool weighted) {
  Sample s;
  const double slope = random.uniform(0.3, 4);
  const double offset = random.uniform(-2, 2);
  for (std::size_t i = 0; i < n; ++i) {
    s.f.push_back(random.uniform(-3, 3));
    s.y.push_back(random.uniform(0, 1) < 1 / (1 + std::exp(offset - slope * s.f.back())) ? 1 : 0);
    if (weighted) s.w.push_back(random.uniform(0, 3));
  }
  return s;
}

// Ever smaller steps to any of eight neighbours: slow, and cannot be wrong about a convex function.
Model::Sigmoid plain_minimum(const Sample& s) {
  Model::Sigmoid at;
  double best = s.loss(0, 0);
  for (double step = 8; step > 1e-9;) {
    bool moved = false;
    for (int a = -1; a <= 1; ++a)
      for (int b = -1; b <= 1; ++b) {
        const Model::Sigmoid next{at.slope + a * step, at.offset + b * step};
        const double value = s.loss(next.slope, next.offset);
        if (value >= best) continue;
        best = value;
        at = next;
        moved = true;
      }
    if (!moved) step /= 2;
  }
  return at;
}

TEST(Sigmoid, IsTheMinimum) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const Sample s = noisy(random, 5 + random.below(100), round % 2 == 1);
    const auto found = s.fitted();
    const auto g = s.gradient(found);
    EXPECT_LT(std::abs(g[0]), 1e-9);
    EXPECT_LT(std::abs(g[1]), 1e-9);
    const auto plain = plain_minimum(s);
    EXPECT_LE(s.loss(found.slope, found.offset), s.loss(plain.slope, plain.offset) + 1e-12);
    EXPECT_NEAR(found.slope, plain.slope, 1e-4);
    EXPECT_NEAR(found.offset, plain.offset, 1e-4);
  }
}

TEST(Sigmoid, RisesWithTheScoreWherePositiveOnesAreHigher) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    Sample s = noisy(random, 300, false);
    EXPECT_LT(s.fitted().slope, 0);
    for (char& y : s.y) y = y != 0 ? 0 : 1;
    EXPECT_GT(s.fitted().slope, 0);
  }
}

TEST(Sigmoid, FollowsScoresThatAreScaledAndMoved) {
  Random random(3);
  const Sample s = noisy(random, 200, false);
  const auto plain = s.fitted();
  for (const double scale : {1e-200, 1e-9, 1.0, 1e12, 1e200})
    for (const double move : {0.0, 3.0, -100.0}) {
      Sample other = s;
      for (double& f : other.f) f = (f + move) * scale;
      const auto found = other.fitted();
      EXPECT_NEAR(found.slope * scale / plain.slope, 1, 1e-7);
      for (std::size_t i = 0; i < s.f.size(); ++i)
        EXPECT_NEAR(found.slope * other.f[i] + found.offset, plain.slope * s.f[i] + plain.offset,
                    1e-7);
    }
}

TEST(Sigmoid, AWeightOfTwoIsTwoCopies) {
  Random random(4);
  Sample once = noisy(random, 60, false);
  Sample twice = once;
  for (std::size_t i = 0; i < 60; ++i) {
    once.w.push_back(i % 3 == 0 ? 2 : 1);
    if (i % 3 != 0) continue;
    twice.f.push_back(once.f[i]);
    twice.y.push_back(once.y[i]);
  }
  EXPECT_NEAR(once.fitted().slope, twice.fitted().slope, 1e-9);
  EXPECT_NEAR(once.fitted().offset, twice.fitted().offset, 1e-9);
}

TEST(Sigmoid, IsFiniteWhereItCouldBeAnything) {
  // Apart, at any distance.
  for (const double gap : {1e-300, 1e-3, 1.0, 1e5, 1e300}) {
    const Sample s{{-gap, -2 * gap, gap, 2 * gap}, {0, 0, 1, 1}, {}};
    const auto found = s.fitted();
    EXPECT_TRUE(std::isfinite(found.slope) && std::isfinite(found.offset));
    EXPECT_LT(found.slope, 0);
    EXPECT_NEAR(found.offset, 0, 1e-9);
  }
  // All the same; one side alone; a single score; none.
  const auto expect_constant = [](const Sample& s, double above, double below) {
    const auto found = s.fitted();
    EXPECT_NEAR(found.slope, 0, 1e-9);
    EXPECT_NEAR(1 / (1 + std::exp(found.offset)), (above + 1) / (above + below + 2), 1e-12);
  };
  expect_constant({{3, 3, 3}, {1, 0, 1}, {}}, 2, 1);
  expect_constant({{0, 0}, {1, 0}, {}}, 1, 1);
  expect_constant({{1, 2, 3, 4}, {1, 1, 1, 1}, {}}, 4, 0);
  expect_constant({{1, 2, 3, 4}, {0, 0, 0, 0}, {}}, 0, 4);
  expect_constant({{-7}, {1}, {}}, 1, 0);
  expect_constant({{1, 2}, {1, 0}, {0, 0}}, 0, 0);
  expect_constant({{}, {}, {}}, 0, 0);
  // Subnormal scores, whose slope is beyond the doubles.
  const auto tiny = Sample{{-5e-324, 5e-324}, {0, 1}, {}}.fitted();
  EXPECT_TRUE(std::isfinite(tiny.slope) && std::isfinite(tiny.offset));
}

TEST(Sigmoid, MistakesAreTold) {
  for (const Sample& s :
       {Sample{{1, 2}, {1}, {}}, Sample{{1, 2}, {1, 0}, {1}}, Sample{{1, NAN}, {1, 0}, {}},
        Sample{{1, 2}, {1, 0}, {1, -1}}, Sample{{1, 2}, {1, 0}, {1e308, 1e308}}})
    EXPECT_THROW(static_cast<void>(s.fitted()), mercer::Error);
}

}  // namespace
