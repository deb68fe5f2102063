// Gram matrices and others; repairs against what defines them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram_matrix.hpp>
#include <mercer/mercer.hpp>

#include "support/matrix.hpp"
#include "support/random.hpp"

namespace {

using mercer::check_gram;
using mercer::GramRepair;
using mercer::Matrix;
using testing::HasSubstr;

Matrix square(const std::vector<double>& values) {
  Matrix t;
  t.rows = t.columns = static_cast<std::size_t>(std::lround(std::sqrt(values.size())));
  t.values = values;
  return t;
}

Matrix gram_of(const mercer::Kernel& k, std::size_t n, Random& random) {
  std::vector<std::vector<double>> points;
  for (std::size_t i = 0; i < n; ++i) points.push_back(random.point(3, -1, 1));
  Matrix t;
  t.rows = t.columns = n;
  for (const auto& x : points)
    for (const auto& z : points) t.values.push_back(k(x, z));
  return t;
}

double smallest(const Matrix& t) {
  return eigenvalues(fill(t.rows, t.rows, [&](std::size_t i, std::size_t j) { return t(i, j); }))
      .front();
}

double distance(const Matrix& a, const Matrix& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) total += std::pow(a.values[i] - b.values[i], 2);
  return std::sqrt(total);
}

TEST(CheckGram, MatricesOfKernelsAre) {
  Random random(1);
  for (const char* text : {"linear", "poly(3)", "rbf(0.5)", "laplacian", "cosine"})
    for (const std::size_t n : {1U, 2U, 7U, 30U, 60U}) {
      const Matrix K = gram_of(mercer::Kernel::parse(text), n, random);
      const auto check = check_gram(K);
      EXPECT_TRUE(check.is_gram()) << text << " " << n;
      EXPECT_NEAR(check.smallest_eigenvalue, smallest(K), 1e-10 * check.largest_eigenvalue);
    }
}

TEST(CheckGram, TheOffendingDirectionIsNegative) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const Matrix K =
        gram_of(mercer::Kernel::parse("tanh(2*x.z - 1)"), 2 + random.below(20), random);
    const auto check = check_gram(K);
    EXPECT_EQ(check.is_gram(), smallest(K) >= -check.bound);
    if (check.is_gram()) continue;
    long double value = 0;
    for (std::size_t i = 0; i < K.rows; ++i)
      for (std::size_t j = 0; j < K.rows; ++j)
        value += static_cast<long double>(check.direction[i]) * static_cast<long double>(K(i, j)) *
                 static_cast<long double>(check.direction[j]);
    EXPECT_LT(value, 0);
    EXPECT_NEAR(static_cast<double>(value), std::stod(check.value), 1e-12);
    EXPECT_EQ(check.exactly, false);
  }
}

TEST(CheckGram, ExactlyOrWithinRounding) {
  EXPECT_EQ(check_gram(square({0.1, 0.3, 0.3, 0.9})).exactly, true);  // rank 1 in decimals
  const auto less = check_gram(square({0.1, 0.3, 0.3, 0.8999999999999999}));
  EXPECT_TRUE(less.is_gram());
  EXPECT_EQ(less.exactly, false);
  EXPECT_EQ(check_gram(square({0})).exactly, true);
  EXPECT_FALSE(check_gram(square({-1e-300})).is_gram());
  EXPECT_FALSE(check_gram(square({0, 1, 1, 0})).is_gram());
  Random random(3);
  EXPECT_EQ(check_gram(gram_of(mercer::rbf(3), 100, random)).exactly, true);  // by Cholesky
}

TEST(CheckGram, AsymmetryIsLocated) {
  const auto check = check_gram(square({1, 0, 0.5, 0, 1, 0, 0.25, 0, 1}));
  EXPECT_FALSE(check.symmetric);
  EXPECT_TRUE(check.semidefinite);
  EXPECT_EQ(check.asymmetry, 0.25);
  EXPECT_EQ(check.row, 0U);
  EXPECT_EQ(check.column, 2U);
  EXPECT_TRUE(check_gram(square({1, 0.1, std::nextafter(0.1, 1), 1})).symmetric);
}

TEST(CheckGram, OnlySquareMatrices) {
  Matrix t;
  t.rows = 2;
  t.columns = 3;
  t.values.resize(6);
  EXPECT_THROW(check_gram(t), mercer::Error);
}

Matrix indefinite(std::size_t n, Random& random) {
  Matrix K;
  K.rows = K.columns = n;
  K.values.resize(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      K(i, j) = K(j, i) = i == j ? random.uniform(0.5, 2) : random.uniform(-1, 1);
  return K;
}

TEST(RepairGram, EveryRepairPasses) {
  Random random(4);
  for (int round = 0; round < 30; ++round) {
    const Matrix K = indefinite(2 + random.below(12), random);
    for (const auto how : {GramRepair::clip, GramRepair::shift, GramRepair::nearest}) {
      const auto repaired = mercer::repair_gram(K, how);
      EXPECT_TRUE(check_gram(repaired.K).is_gram());
      EXPECT_NEAR(repaired.moved, distance(repaired.K, K), 1e-12);
      for (std::size_t i = 0; i < K.rows; ++i)
        for (std::size_t j = 0; j < K.rows; ++j) {
          if (how == GramRepair::shift && i != j) {
            EXPECT_EQ(repaired.K(i, j), K(i, j));
          }
          if (how == GramRepair::nearest && i == j) {
            EXPECT_EQ(repaired.K(i, i), K(i, i));
          }
        }
    }
  }
}

TEST(RepairGram, NothingNearerIsFoundAtRandom) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const std::size_t n = 2 + random.below(4);
    const Matrix K = indefinite(n, random);
    const double clip = mercer::repair_gram(K, GramRepair::clip).moved;
    const auto nearest = mercer::repair_gram(K, GramRepair::nearest);
    EXPECT_LE(clip, nearest.moved * (1 + 1e-9));
    EXPECT_LE(clip, mercer::repair_gram(K, GramRepair::shift).moved * (1 + 1e-9));
    // Mixtures with random correlation matrices, scaled to the diagonal, are further away: the set
    // is convex, so a nearer point would be seen from close by too.
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<std::vector<double>> rows;
      for (std::size_t i = 0; i < n; ++i) rows.push_back(random.point(n, -1, 1));
      const double t = std::pow(10.0, random.uniform(-6, 0));
      Matrix other = nearest.K;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          double dot = 0;
          double a = 0;
          double b = 0;
          for (std::size_t k = 0; k < n; ++k) {
            dot += rows[i][k] * rows[j][k];
            a += rows[i][k] * rows[i][k];
            b += rows[j][k] * rows[j][k];
          }
          other(i, j) =
              (1 - t) * other(i, j) + t * std::sqrt(K(i, i) * K(j, j)) * dot / std::sqrt(a * b);
        }
      EXPECT_GE(distance(other, K), nearest.moved * (1 - 1e-7));
    }
  }
}

TEST(RepairGram, HighamsExample) {
  // N. J. Higham, 2002: the nearest correlation matrix to tridiag(1, 1, 1) of order 3.
  const auto r = mercer::repair_gram(square({1, 1, 0, 1, 1, 1, 0, 1, 1}), GramRepair::nearest);
  EXPECT_NEAR(r.K(0, 1), 0.7607, 5e-5);
  EXPECT_NEAR(r.K(0, 2), 0.1573, 5e-5);
  EXPECT_NEAR(r.moved, 0.5278, 5e-5);
}

TEST(RepairGram, WhatIsRightStaysAsItIs) {
  const Matrix K = square({2, 1, 1, 2});
  for (const auto how : {GramRepair::clip, GramRepair::shift, GramRepair::nearest})
    EXPECT_EQ(mercer::repair_gram(K, how).K.values, K.values);
}

TEST(RepairGram, ANegativeDiagonalCannotBeKept) {
  const Matrix K = square({-1, 0, 0, 1});
  EXPECT_TRUE(check_gram(mercer::repair_gram(K, GramRepair::clip).K).is_gram());
  try {
    mercer::repair_gram(K, GramRepair::nearest);
    FAIL();
  } catch (const mercer::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 1 has -1 on the diagonal"));
  }
  // All zero: nothing below zero is left.
  EXPECT_TRUE(check_gram(mercer::repair_gram(square({-1}), GramRepair::clip).K).is_gram());
}

}  // namespace
