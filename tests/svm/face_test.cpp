// Newton's step within bounds, against what holds at the minimum of a convex function and nowhere
// else, checked with the matrix as it is.
#include "svm/face.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace mercer::support {
namespace {

struct Problem {
  std::size_t n;
  std::vector<double> M;
  Face face;
};

// M = B Bᵀ + a little, B of n × rank.
Problem random_problem(std::size_t n, std::size_t rank, double room, std::uint64_t seed) {
  RandomNumbers random(seed);
  Problem p{n, std::vector<double>(n * n), {}};
  std::vector<double> B(n * rank);
  for (double& b : B) b = 2 * random.uniform() - 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < rank; ++k) p.M[i * n + j] += B[i * rank + k] * B[j * rank + k];
      if (i == j) p.M[i * n + j] += 0.01;
    }
  for (std::size_t i = 0; i < n; ++i) {
    p.face.gradient.push_back(2 * random.uniform() - 1);
    p.face.beta.push_back(random.uniform() - 0.5);
    p.face.lower.push_back(p.face.beta[i] - room * (0.1 + random.uniform()));
    p.face.upper.push_back(p.face.beta[i] + room * (0.1 + random.uniform()));
    p.face.group.push_back(random.uniform() < 0.4 ? 1 : 0);
  }
  return p;
}

std::vector<double> product(const Problem& p, const std::vector<double>& d) {
  std::vector<double> all(p.n);
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < p.n; ++j) all[i] += p.M[i * p.n + j] * d[j];
  return all;
}

TEST(SvmFace, IsDescendedToItsMinimumAmongThoseThatMetNoBound) {
  std::size_t free_ends = 0;
  std::size_t ends_at_bounds = 0;
  std::size_t many_met = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const std::size_t n = 3 + seed % 60 * (seed % 7 == 0 ? 8 : 1);
    const double room = std::vector<double>{1e6, 3, 0.3}[seed % 3];
    Problem p = random_problem(n, 1 + n / 2, room, seed);
    p.face.keeps_sum = seed % 4 != 0;
    const bool two_groups = seed % 5 == 0;
    if (!two_groups) p.face.group.assign(n, 0);
    p.face.matrix = [&](double* to) {
      for (std::size_t i = 0; i < n; ++i) std::copy_n(p.M.data() + i * n, i + 1, to + i * n);
    };
    const std::vector<double> before = p.face.beta;
    const FaceEnd end = descend(p.face);
    ASSERT_TRUE(end.moved) << seed;
    std::vector<double> d(n);
    std::vector<double> sums(2);
    double size = 0;
    std::size_t met = 0;
    for (std::size_t i = 0; i < n; ++i) {
      d[i] = p.face.beta[i] - before[i];
      sums[p.face.group[i]] += d[i];
      size += std::abs(d[i]);
      EXPECT_GE(p.face.beta[i], p.face.lower[i]);
      EXPECT_LE(p.face.beta[i], p.face.upper[i]);
      met += p.face.beta[i] == p.face.lower[i] || p.face.beta[i] == p.face.upper[i] ? 1U : 0U;
    }
    EXPECT_EQ(met, end.met);
    if (p.face.keeps_sum) {
      EXPECT_NEAR(sums[0], 0, 1e-12 * size) << seed;
      EXPECT_NEAR(sums[1], 0, 1e-12 * size) << seed;
    }
    const auto Md = product(p, d);
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) change += d[i] * (p.face.gradient[i] + 0.5 * Md[i]);
    EXPECT_LT(change, 0) << seed;
    many_met += end.whole ? 0U : 1U;
    if (!end.whole) continue;
    (end.met == 0 ? free_ends : ends_at_bounds) += 1;
    // Of those between their bounds no gradient differs from another's in its group; without sums
    // they are 0.
    std::vector<double> level(2, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < n; ++i) {
      if (p.face.beta[i] == p.face.lower[i] || p.face.beta[i] == p.face.upper[i]) continue;
      const double gradient = p.face.gradient[i] + Md[i];
      double& common = level[p.face.group[i]];
      if (!p.face.keeps_sum) common = 0;
      if (std::isnan(common)) common = gradient;
      EXPECT_NEAR(gradient, common, 1e-8 * (1 + size)) << seed << " " << i;
    }
  }
  EXPECT_GT(free_ends, 10U);
  EXPECT_GT(ends_at_bounds, 10U);
  EXPECT_GT(many_met, 3U);
}

TEST(SvmFace, TheSameWhateverTheThreads) {
  const auto ended = [](unsigned threads) {
    Problem p = random_problem(300, 200, 3, 7);
    p.face.matrix = [&](double* to) { std::ranges::copy(p.M, to); };
    descend(p.face, {threads, {}});
    return p.face.beta;
  };
  EXPECT_EQ(ended(1), ended(3));
}

TEST(SvmFace, WhatIsNotDefiniteIsShiftedOrLeftAlone) {
  Problem p = random_problem(20, 5, 1e9, 3);
  for (std::size_t i = 0; i < p.n; ++i) p.M[i * p.n + i] -= 0.0101;  // eigenvalues of -1e-4
  p.face.matrix = [&](double* to) { std::ranges::copy(p.M, to); };
  const auto before = p.face.beta;
  p.face.shift = 0;
  EXPECT_FALSE(descend(p.face).moved);
  EXPECT_EQ(p.face.beta, before);
  p.face.shift = 1e-5;
  EXPECT_TRUE(descend(p.face).moved);
  EXPECT_NE(p.face.beta, before);
}

}  // namespace
}  // namespace mercer::support
