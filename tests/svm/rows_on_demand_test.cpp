// Rows of K that come when they are needed: the same answers, from fewer kernel values.
#include "svm/rows_on_demand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mercer/svm.hpp>
#include <vector>

#include "base/random.hpp"
#include "support/plain_learners.hpp"
#include "svm/class_blocks.hpp"
#include "svm/inner.hpp"
#include "svm/machine.hpp"

namespace mercer::support {
namespace {

using mercer::testing::points_of;
using mercer::testing::random_matrix;

struct Case {
  Points x;
  std::vector<double> y;
};

// Two clouds that touch each other, in so many dimensions that values are not cheap.
Case case_of(std::size_t n, std::size_t columns, std::uint64_t seed) {
  Matrix points = random_matrix(n, columns, seed);
  std::vector<double> y;
  for (std::size_t i = 0; i < n; ++i) {
    y.push_back(i % 3 == 0 ? 1 : -1);
    points(i, 0) += 2 * y[i];
  }
  return {points_of(points), y};
}

template <class T>
void expect_same_path(bool keeps_sum) {
  constexpr std::size_t n = 300;
  const Case c = case_of(n, 50, 3);
  GramOptions how;
  how.precision =
      std::is_same_v<T, float> ? GramOptions::Precision::float32 : GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  const Gram K(rbf(0.02), c.x, how);
  ASSERT_TRUE(better_on_demand(K));
  const std::size_t stride = filled(n);
  std::vector<T> values(n * stride);
  K.block(Rows::all(), Rows::all(), values.data(), stride);
  const auto diagonal = diagonal_of(K, 2);
  Slabs slabs;
  RowsOnDemand<T> rows(K, slabs);
  Inner<T> all(n, 0, keeps_sum);
  Inner<T> some(n, 0, keeps_sum);
  std::size_t fetched = 0;
  some.on_demand(
      [&](std::span<const std::uint32_t> at, std::span<const T*> to, const auto&) {
        for (const std::uint32_t k : at) EXPECT_EQ(rows.row(k), nullptr);
        rows.compute({at.begin(), at.end()});
        for (std::size_t i = 0; i < at.size(); ++i) to[i] = rows.row(at[i]);
        fetched += at.size();
      },
      12);
  constexpr double C = 10;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(static_cast<T>(diagonal[i]), values[i * stride + i]) << i;
    const double lower = c.y[i] > 0 ? 0 : -C;
    const double upper = c.y[i] > 0 ? C : 0;
    const T* row = values.data() + i * stride;
    all.set_with(row[i], i, row, nullptr, 0, -c.y[i], lower, upper);
    some.set_with(static_cast<T>(diagonal[i]), i, nullptr, nullptr, 0, -c.y[i], lower, upper);
  }
  const auto a = all.solve(1e-3, 1'000'000);
  const auto b = some.solve(1e-3, 1'000'000);
  EXPECT_EQ(a.moves, b.moves);
  EXPECT_EQ(a.violation, b.violation);
  EXPECT_LT(fetched, n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(all.beta(i), some.beta(i)) << i;
    if (some.beta(i) == 0) continue;
    ASSERT_NE(rows.row(i), nullptr) << i;
    EXPECT_TRUE(std::equal(rows.row(i), rows.row(i) + stride, values.data() + i * stride));
  }
}

TEST(RowsOnDemand, GoTheSameWayInFloats) { expect_same_path<float>(true); }
TEST(RowsOnDemand, GoTheSameWayInDoubles) { expect_same_path<double>(true); }
TEST(RowsOnDemand, GoTheSameWayWithoutAnOffset) { expect_same_path<float>(false); }

// Rows of pairs of classes whose values are cheap: those of the blocks, and the same path with
// them, whether few are needed or in the end all.
template <class T>
void expect_pairs_as_blocks(double C, bool offset) {
  constexpr std::size_t n = 1200;
  constexpr std::size_t d = 5;
  const Case c = case_of(n, d, 5);
  GramOptions how;
  how.precision =
      std::is_same_v<T, float> ? GramOptions::Precision::float32 : GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  const Gram K(rbf(0.3), c.x, how);
  ASSERT_EQ(rows_together(K), rows_of_cheap_values);
  std::vector<std::vector<std::size_t>> classes(2);
  for (std::size_t i = 0; i < n; ++i) classes[c.y[i] > 0 ? 0 : 1].push_back(i);
  std::vector<std::size_t> order = classes[0];
  order.insert(order.end(), classes[1].begin(), classes[1].end());
  std::vector<double> y(classes[0].size(), 1.0);
  y.resize(n, -1.0);
  MemoryPool pool;
  ClassBlocks<T> blocks(K, classes, pool);
  const Gram part = K.part(order, 1);
  Known all;
  all.diagonal = diagonal_of(part, 1);
  all.pool = &pool;
  all.values = blocks.pair(0, 1);
  Known some;
  some.diagonal = all.diagonal;
  some.pool = &pool;
  some.values = blocks.pair_on_demand(0, 1);
  SvmOptions options;
  options.C = C;
  options.offset = offset;
  options.threads = 1;
  const Svm a = machine(part, y, options, all);
  const Svm b = machine(part, y, options, some);
  EXPECT_EQ(a.end, Svm::End::converged);
  EXPECT_EQ(a.moves, b.moves);
  EXPECT_EQ(a.coefficients, b.coefficients);
  EXPECT_EQ(a.scores, b.scores);
  EXPECT_EQ(a.offset, b.offset);
  const auto& whole = std::get<TwoStretches<T>>(all.values);
  const auto& rows = std::get<TwoStretches<T>>(some.values);
  std::size_t computed = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (rows.rows_first[k] == nullptr) continue;
    ++computed;
    EXPECT_TRUE(std::equal(rows.rows_first[k], rows.rows_first[k] + filled(rows.first),
                           whole.rows_first[k]))
        << k;
    EXPECT_TRUE(std::equal(rows.rows_second[k], rows.rows_second[k] + filled(rows.second),
                           whole.rows_second[k]))
        << k;
  }
  EXPECT_GT(computed, 0U);
  EXPECT_EQ(rows.is_whole(), computed == n);
  EXPECT_EQ(rows.is_whole(), C < 0.1);
}

TEST(PairsOnDemand, FewRowsInFloats) { expect_pairs_as_blocks<float>(10, true); }
TEST(PairsOnDemand, FewRowsInDoubles) { expect_pairs_as_blocks<double>(10, true); }
TEST(PairsOnDemand, FewRowsWithoutAnOffset) { expect_pairs_as_blocks<float>(10, false); }
TEST(PairsOnDemand, AllOfThemInTheEnd) {
  expect_pairs_as_blocks<float>(1e-3, true);
  expect_pairs_as_blocks<double>(1e-3, true);
}

// Of problems that start anywhere, or need many rows together.
TEST(RowsOnDemand, AnswersAreThoseOfWorkingSets) {
  using Problem = SvmOptions::Problem;
  const Case c = case_of(400, 60, 7);
  for (const auto problem : {Problem::classification, Problem::hard_margin, Problem::one_class,
                             Problem::nu_classification, Problem::regression})
    for (const double C : {0.01, 10.0, 1e5}) {
      GramOptions how;
      how.precision = GramOptions::Precision::float64;
      how.storage = GramOptions::Storage::recomputed;
      const Gram K(rbf(0.01), c.x, how);
      SvmOptions options;
      options.problem = problem;
      options.C = C;
      options.nu = 0.2;
      options.tolerance = 1e-6;
      const Svm a = svm(K, c.y, options);
      options.working_set = 64;
      const Svm b = svm(K, c.y, options);
      EXPECT_EQ(a.end, Svm::End::converged);
      EXPECT_NEAR(a.dual, b.dual, 1e-6 * std::abs(b.dual));
      EXPECT_NEAR(a.offset, b.offset, 1e-4 * std::max(1.0, std::abs(b.offset)));
    }
}

}  // namespace
}  // namespace mercer::support
