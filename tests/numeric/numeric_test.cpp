// Products, factors and eigenvalues against plain loops, on every instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <vector>

#include "base/random.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/eigen.hpp"
#include "numeric/packed_lower.hpp"

namespace mercer::numeric {
namespace {

using Sizes = std::initializer_list<std::size_t>;

template <class T>
double wide(T v) {
  return static_cast<double>(v);
}

template <class T>
std::vector<T> random_values(std::size_t count, std::uint64_t seed) {
  RandomNumbers random(seed);
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(random.normal());
  return values;
}

// R Rᵀ/m + ridge I, symmetric, R of n × m.
template <class T>
std::vector<T> definite(std::size_t n, double ridge, std::uint64_t seed) {
  constexpr std::size_t m = 20;
  const auto R = random_values<double>(n * m, seed);
  std::vector<T> A(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? ridge : 0;
      for (std::size_t k = 0; k < m; ++k) sum += R[i * m + k] * R[j * m + k] / m;
      A[i * n + j] = A[j * n + i] = static_cast<T>(sum);
    }
  return A;
}

template <class T>
class Linear : public testing::Test {
 protected:
  static constexpr auto epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Linear, Numbers);

TYPED_TEST(Linear, ProductsAreThoseOfPlainLoopsOnEveryInstructionSet) {
  using T = TypeParam;
  for (const auto& use : micros<T>())
    for (const std::size_t m : Sizes{1, 5, 6, 13, 150})
      for (const std::size_t n : Sizes{1, 7, 16, 65, 520})
        for (const std::size_t depth : Sizes{1, 3, 256, 300}) {
          const auto A = random_values<T>(m * depth, m + depth);
          const auto B = random_values<T>(depth * n, n + depth);
          auto C = random_values<T>(m * n, 1);
          const auto start = C;
          multiply_add(View<T>{A.data(), m, depth, depth, 1}, View<T>{B.data(), depth, n, n, 1},
                       T(-1), C.data(), n, Part::all, How{2, use.name});
          for (std::size_t i = 0; i < m; i += 3)
            for (std::size_t j = 0; j < n; j += 5) {
              double sum = 0;
              double size = std::abs(wide(start[i * n + j]));
              for (std::size_t k = 0; k < depth; ++k) {
                const double t = wide(A[i * depth + k]) * wide(B[k * n + j]);
                sum += t;
                size += std::abs(t);
              }
              ASSERT_NEAR(wide(C[i * n + j]), wide(start[i * n + j]) - sum,
                          20 * this->epsilon * size)
                  << use.name << ' ' << m << ' ' << n << ' ' << depth;
            }
        }
}

// Multiples of a unit add up to the same in any order.
// Few columns are solved for without packing the factor, and panels with a packed one: both are
// solutions, also of sizes that no strip divides.
TYPED_TEST(Linear, TrianglesAreSolvedForFewColumnsAndForPanels) {
  using T = TypeParam;
  for (const auto& use : micros<T>())
    for (const std::size_t n : Sizes{1, 6, 50, 257, 530}) {
      auto L = random_values<T>(n * n, n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < n; ++k)
          L[i * n + k] = i == k ? T(2) : L[i * n + k] / static_cast<T>(n);
      for (const std::size_t m : Sizes{2, 7, 16}) {
        const auto B = random_values<T>(n * m, m);
        auto X = B;
        auto Y = B;
        solve_lower(L.data(), n, n, X.data(), m, m, How{2, use.name});
        solve_upper(L.data(), n, n, Y.data(), m, m, How{2, use.name});
        PackedLower<T> packed(n, use);
        for (std::size_t j = 0; j < n; j += packed.block) {
          const std::size_t now = std::min(packed.block, n - j);
          packed.add(View<T>{L.data() + j * n + j, n - j, now, n, 1}, 2);
        }
        const std::size_t wide_panel = packed.columns();
        const std::size_t apart = packed.room() * wide_panel;
        const std::size_t panels = (m + wide_panel - 1) / wide_panel;
        Aligned<T> Z(panels * apart);
        std::fill_n(Z.data(), Z.size(), T(0));
        const auto at = [&](std::size_t i, std::size_t c) -> T& {
          return Z[c / wide_panel * apart + i * wide_panel + c % wide_panel];
        };
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t c = 0; c < m; ++c) at(i, c) = B[i * m + c];
        packed.solve(Z.data(), panels, apart);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t c = 0; c < m; ++c) {
            double lower = 0;
            double upper = 0;
            double beside = 0;
            for (std::size_t k = 0; k <= i; ++k) {
              lower += wide(L[i * n + k]) * wide(X[k * m + c]);
              beside += wide(L[i * n + k]) * wide(at(k, c));
            }
            for (std::size_t k = i; k < n; ++k) upper += wide(L[k * n + i]) * wide(Y[k * m + c]);
            const double near = 100 * TestFixture::epsilon;
            ASSERT_NEAR(lower, wide(B[i * m + c]), near) << use.name << ' ' << n << ' ' << m;
            ASSERT_NEAR(beside, wide(B[i * m + c]), near) << use.name << ' ' << n << ' ' << m;
            ASSERT_NEAR(upper, wide(B[i * m + c]), near) << use.name << ' ' << n << ' ' << m;
          }
      }
    }
}

TEST(Products, RoundedToAUnitDoNotDependOnTheOrder) {
  const std::size_t m = 30;
  const std::size_t depth = 3000;
  auto A = random_values<float>(m * depth, 7);
  // Parts of very different size, so that sums of them are not exact.
  for (std::size_t i = 0; i < A.size(); ++i) {
    const std::size_t part = i % depth / 500;
    A[i] *= static_cast<float>(std::exp2(-7 * static_cast<double>(part)));
  }
  const auto sum = [&](double unit, const std::vector<std::size_t>& order) {
    std::vector<double> C(m * m, 0.0);
    for (const std::size_t part : order) {
      const View<float> some{A.data() + part * 500, m, 500, depth, 1};
      multiply_add(some, some.transposed(), C.data(), m, {}, unit);
    }
    return C;
  };
  const std::vector<std::size_t> forward{0, 1, 2, 3, 4, 5};
  const std::vector<std::size_t> other{4, 0, 5, 3, 1, 2};
  const double unit = std::exp2(-36);
  EXPECT_EQ(sum(unit, forward), sum(unit, other));
  EXPECT_NE(sum(0, forward), sum(0, other));
  const auto exact = sum(0, forward);
  const auto rounded = sum(unit, forward);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(rounded[i], exact[i], 6 * unit);
}

// Floats summed in doubles: exact to what products of floats are, whatever the length.
TEST(Products, OfFloatsAreSummedInDoubles) {
  for (const auto& use : micros<float>())
    for (const std::size_t m : Sizes{1, 13, 150})
      for (const std::size_t n : Sizes{7, 65, 520})
        for (const std::size_t depth : Sizes{3, 300, 1500}) {
          const auto A = random_values<float>(m * depth, m + depth);
          const auto B = random_values<float>(n * depth, n + depth);
          const auto start = random_values<double>(m * (n + 1), 1);
          std::vector<std::vector<double>> answers;
          for (const unsigned threads : {1U, 2U}) {
            auto C = start;
            multiply_add(View<float>{A.data(), m, depth, depth, 1},
                         View<float>{B.data(), n, depth, depth, 1}.transposed(), C.data(), n + 1,
                         How{threads, use.name});
            answers.push_back(C);
          }
          EXPECT_EQ(answers[0], answers[1]) << use.name;
          for (std::size_t i = 0; i < m; i += 3)
            for (std::size_t j = 0; j < n + 1; j += 5) {
              double sum = start[i * (n + 1) + j];
              double size = 0;
              for (std::size_t k = 0; j < n && k < depth; ++k) {
                const double t = wide(A[i * depth + k]) * wide(B[j * depth + k]);
                sum += t;
                size += std::abs(t);
              }
              ASSERT_NEAR(answers[0][i * (n + 1) + j], sum, 1e-6 * size)
                  << use.name << ' ' << m << ' ' << n << ' ' << depth;
            }
        }
}

TYPED_TEST(Linear, TransposedViewsAndTriangles) {
  using T = TypeParam;
  const std::size_t n = 70;
  const std::size_t depth = 33;
  const auto A = random_values<T>(depth * n, 1);  // Aᵀ A
  for (const Part part : {Part::all, Part::lower, Part::upper}) {
    std::vector<T> C(n * n);
    const View<T> a{A.data(), depth, n, n, 1};
    multiply_add(a.transposed(), a, T(1), C.data(), n, part);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if ((part == Part::lower && j > i) || (part == Part::upper && j < i)) continue;
        double sum = 0;
        for (std::size_t k = 0; k < depth; ++k) sum += wide(A[k * n + i]) * wide(A[k * n + j]);
        ASSERT_NEAR(wide(C[i * n + j]), sum, 50 * this->epsilon * static_cast<double>(depth));
      }
  }
}

TYPED_TEST(Linear, TheFactorTimesItsTransposeIsTheMatrixOnEveryInstructionSet) {
  using T = TypeParam;
  for (const auto& use : micros<T>())
    for (const std::size_t n : Sizes{1, 2, 6, 47, 48, 49, 100, 300, 800}) {
      const How how{2, use.name};
      const auto A = definite<T>(n, 0.5, n);
      auto L = A;
      ASSERT_EQ(cholesky(L.data(), n, n, how), n);
      for (std::size_t i = 0; i < n; i += 1 + n / 50)
        for (std::size_t j = 0; j <= i; j += 1 + n / 50) {
          double sum = 0;
          for (std::size_t k = 0; k <= j; ++k) sum += wide(L[i * n + k]) * wide(L[j * n + k]);
          ASSERT_NEAR(sum, wide(A[i * n + j]), 10 * this->epsilon * std::sqrt(double(n)) * 5)
              << use.name << ' ' << n;
        }
      for (const std::size_t m : Sizes{1, 3, 17}) {
        const auto B = random_values<T>(n * m, m);
        auto X = B;
        solve_cholesky(L.data(), n, n, X.data(), m, m, how);
        for (std::size_t i = 0; i < n; i += 1 + n / 50)
          for (std::size_t c = 0; c < m; ++c) {
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += wide(A[i * n + k]) * wide(X[k * m + c]);
            ASSERT_NEAR(sum, wide(B[i * m + c]), 200 * this->epsilon * std::sqrt(double(n)))
                << use.name << ' ' << n << ' ' << m;
          }
      }
    }
}

TYPED_TEST(Linear, AFactorWithALongerStrideLeavesTheRestAlone) {
  using T = TypeParam;
  const std::size_t n = 60;
  const std::size_t stride = 71;
  const auto A = definite<T>(n, 1, 3);
  std::vector<T> wide(n * stride, T(7));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) wide[i * stride + j] = A[i * n + j];
  auto narrow = A;
  ASSERT_EQ(cholesky(wide.data(), n, stride), n);
  ASSERT_EQ(cholesky(narrow.data(), n, n), n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(wide[i * stride + j], narrow[i * n + j]);
    for (std::size_t j = n; j < stride; ++j) ASSERT_EQ(wide[i * stride + j], T(7));
  }
}

TYPED_TEST(Linear, TheFirstPivotThatIsNotPositiveIsNamed) {
  using T = TypeParam;
  for (const std::size_t n : Sizes{10, 200, 900})
    for (const std::size_t bad : {std::size_t{0}, n / 2, n - 1}) {
      auto A = definite<T>(n, 1, n);
      A[bad * n + bad] = -1;
      ASSERT_EQ(cholesky(A.data(), n, n), bad);
      auto B = definite<T>(n, 1, n);
      B[bad * n + bad] = std::numeric_limits<T>::quiet_NaN();
      ASSERT_EQ(cholesky(B.data(), n, n), bad);
    }
}

TYPED_TEST(Linear, TheNumberOfThreadsDoesNotMatter) {
  using T = TypeParam;
  const std::size_t n = 900;
  auto one = definite<T>(n, 0.1, 5);
  auto three = one;
  cholesky(one.data(), n, n, How{1, {}});
  cholesky(three.data(), n, n, How{3, {}});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(one[i * n + j], three[i * n + j]);
}

void expect_eigen(std::vector<double> A, std::size_t n) {
  const auto copy = A;
  const Eigen e = eigen(A.data(), n);
  double size = 1e-300;
  for (const double v : copy) size = std::max(size, std::abs(v));
  const double small = 1e-14 * size * static_cast<double>(n + 10);
  for (std::size_t j = 0; j < n; ++j) {
    ASSERT_LE(e.values[j == 0 ? 0 : j - 1], e.values[j]);
    const double* u = e.vectors.data() + j * n;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += copy[i * n + k] * u[k];
      ASSERT_NEAR(sum, e.values[j] * u[i], small) << n << ' ' << j;
    }
    for (std::size_t other = 0; other <= j; ++other) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += u[k] * e.vectors[other * n + k];
      ASSERT_NEAR(sum, other == j ? 1 : 0, 1e-12) << n << ' ' << j << ' ' << other;
    }
  }
}

TEST(Eigen, VectorsAreOrthonormalAndStretchedByTheirValues) {
  for (const std::size_t n : Sizes{1, 2, 3, 4, 48, 49, 50, 97, 150, 260})
    expect_eigen(definite<double>(n, 0, n), n);
}

TEST(Eigen, HardSpectra) {
  const std::size_t n = 120;
  std::vector<double> zero(n * n);
  expect_eigen(zero, n);
  auto identity = zero;
  for (std::size_t i = 0; i < n; ++i) identity[i * n + i] = 1;
  expect_eigen(identity, n);
  expect_eigen(std::vector<double>(n * n, 1.0), n);  // rank 1
  auto scales = zero;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      scales[i * n + j] = std::exp(-std::pow(double(i) - double(j), 2) / 50);  // nearly singular
  expect_eigen(scales, n);
  for (double& v : scales) v *= 1e150;
  expect_eigen(scales, n);
  for (double& v : scales) v *= 1e-300;
  expect_eigen(scales, n);
}

// -|x-z|² has rank 4 in the plane: all other eigenvalues are rounding.
TEST(Eigen, SquaredDistances) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t n = 60;
    const auto x = random_values<double>(2 * n, seed);
    std::vector<double> A(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        A[i * n + j] = -std::pow(x[2 * i] - x[2 * j], 2) - std::pow(x[2 * i + 1] - x[2 * j + 1], 2);
    expect_eigen(A, n);
  }
}

TEST(Eigen, NumbersThatAreNotFiniteAreAnError) {
  std::vector<double> A{1, std::nan(""), std::nan(""), 1};
  EXPECT_THROW(eigen(A.data(), 2), Error);
}

}  // namespace
}  // namespace mercer::numeric
