// Coordinates that are zero in several points at once are passed over: which ones, and that no
// value shows it.
#include "gram/marks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mercer/gram.hpp>
#include <numeric>
#include <set>

#include "gram/centre.hpp"
#include "support/random.hpp"

namespace {

using mercer::Gram;
using mercer::GramOptions;
using mercer::Kernel;
using mercer::Points;
using mercer::Rows;
using mercer::gram::CoordinateLists;
using mercer::gram::Marks;

// One of `kinds` patterns of zeros for each row, and now and then something else.
std::vector<double> with_patterns(Random& random, std::size_t n, std::size_t d, std::size_t kinds) {
  std::vector<double> x(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t kind = random.below(kinds);
    for (std::size_t j = 0; j < d; ++j)
      if ((j * 7 + kind * 3) % kinds < kinds / 3 + 1 || random.one_in(40))
        x[i * d + j] = random.uniform(-1, 1);
  }
  return x;
}

TEST(Marks, ListsAreTheCoordinatesOfAnyRowTogether) {
  Random random(1);
  for (const std::size_t d : {6U, 64U, 65U, 300U, 700U}) {
    const std::size_t n = 200;
    const auto x = with_patterns(random, n, d, 7);
    const Marks marks(x.data(), n, d, 2);
    ASSERT_FALSE(marks.empty()) << d;
    auto order = marks.order();
    CoordinateLists lists;
    constexpr std::size_t slice = 256;
    constexpr std::size_t together = 6;
    lists.make(marks, order, 204, together, d, slice);
    ASSERT_FALSE(lists.empty()) << d;
    for (std::size_t r = 0; r < 204; r += together) {
      const auto* const* at = lists.of(r);
      std::vector<std::uint32_t> listed;
      for (std::size_t s = 0; s * slice < d; ++s)
        for (const auto* k = at[s]; k != at[s + 1]; ++k) {
          EXPECT_EQ(*k / slice, s);
          listed.push_back(*k);
        }
      std::set<std::uint32_t> expected;
      for (std::size_t i = r; i < r + together; ++i)
        for (std::size_t j = 0; j < d; ++j)
          if (x[order[std::min(i, n - 1)] * d + j] != 0)
            expected.insert(static_cast<std::uint32_t>(j));
      EXPECT_TRUE(std::ranges::equal(listed, expected)) << d << " " << r;
    }
    std::ranges::sort(order);
    std::vector<std::size_t> all(n);
    std::iota(all.begin(), all.end(), 0UL);
    EXPECT_EQ(order, all);
    // Sorted rows share their zeros.
    EXPECT_LT(marks.looked_at(d), 0.8);
  }
}

TEST(Marks, NoneWhereFewNumbersAreZero) {
  Random random(2);
  std::vector<float> x(5000);
  for (float& v : x) v = static_cast<float>(random.uniform(1, 2));
  EXPECT_TRUE(Marks(x.data(), 500, 10, 1).empty());
  EXPECT_TRUE(Marks(x.data(), 0, 10, 1).empty());
  EXPECT_TRUE(Marks(std::vector<float>(300).data(), 100, 3, 1).empty());  // two or three columns
}

TEST(Marks, SelectedRowsKeepTheirs) {
  Random random(3);
  const std::size_t n = 90;
  const std::size_t d = 70;
  const auto x = with_patterns(random, n, d, 5);
  const Marks marks(x.data(), n, d, 1);
  const std::vector<std::size_t> rows{4, 4, 80, 3, 17};
  const Marks some = marks.select(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(std::equal(some.row(i), some.row(i) + some.words(), marks.row(rows[i])));
}

TEST(Centre, IsTheNumberThatStandsInManyRows) {
  Random random(4);
  const std::size_t n = 3000;
  const std::size_t d = 12;
  std::vector<double> x(n * d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j)
      x[i * d + j] = j < 9 && !random.one_in(10) ? static_cast<double>(j) : random.uniform(5, 6);
  const Points points = Points::dense(x.data(), n, d);
  const auto means = mercer::gram::means(points);
  const auto found = mercer::gram::frequent(points, means);
  for (std::size_t j = 0; j < d; ++j)
    EXPECT_EQ(found.centre[j], j < 9 ? static_cast<double>(j) : means[j]) << j;
  EXPECT_LT(found.looked_at, 0.75);
  // Numbers that are all different are seen from their mean.
  for (double& v : x) v = random.uniform(0, 1);
  const auto other = mercer::gram::means(points);
  EXPECT_EQ(mercer::gram::frequent(points, other).centre, other);
  EXPECT_EQ(mercer::gram::frequent(points, other).looked_at, 1);
}

// A background in every column, as pictures have it; patterns of what is before it.
std::vector<double> pictures(Random& random, std::size_t n, std::size_t d) {
  std::vector<double> x = with_patterns(random, n, d, 9);
  for (double& v : x) v = v == 0 ? -1 : v;
  return x;
}

TEST(Marks, NoValueShowsWhatWasPassedOver) {
  Random random(5);
  for (const std::size_t d : {9U, 31U, 300U}) {
    const std::size_t n = 500;
    const std::size_t m = 600;
    const auto x = pictures(random, n, d);
    const auto z = pictures(random, m, d);
    const Points X = Points::dense(x.data(), n, d);
    const Points Z = Points::dense(z.data(), m, d);
    for (const char* text : {"rbf(0.02)", "poly(2)", "linear", "rbf(0.01) + 0.1*linear",
                             "matern(1.5, length=4)", "cosine"}) {
      const Kernel k = Kernel::parse(text);
      std::vector<double> truth;  // of some rows and columns
      for (std::size_t i = 0; i < n; i += 17)
        for (std::size_t j = 0; j < m; j += 13)
          truth.push_back(k(std::span(x).subspan(i * d, d), std::span(z).subspan(j * d, d)));
      for (const auto precision :
           {GramOptions::Precision::float32, GramOptions::Precision::float64})
        for (const auto& name : mercer::gram_instructions()) {
          GramOptions how;
          how.instructions = name;
          how.precision = precision;
          how.storage = GramOptions::Storage::recomputed;
          const Gram K(k, X, Z, how);
          std::vector<double> values(n * m);
          K.block(Rows::all(), Rows::all(), values.data(), m);
          const bool exact = precision == GramOptions::Precision::float64;
          double largest = 0;
          for (const double v : values) largest = std::max(largest, std::abs(v));
          auto expected = truth.begin();
          for (std::size_t i = 0; i < n; i += 17)
            for (std::size_t j = 0; j < m; j += 13)
              EXPECT_NEAR(values[i * m + j], *expected++, (exact ? 1e-12 : 2e-5) * largest)
                  << text << " " << name << " " << i << " " << j;
          // Few columns at a time have no lists, single rows no neighbours: the bits are the same.
          std::vector<double> part(n * 64);
          K.block(Rows::all(), Rows(0, 64), part.data(), 64);
          for (std::size_t i = 0; i < n; ++i)
            ASSERT_TRUE(std::equal(part.begin() + std::ptrdiff_t(i * 64),
                                   part.begin() + std::ptrdiff_t((i + 1) * 64),
                                   values.begin() + std::ptrdiff_t(i * m)))
                << text << " " << name << " " << i;
          std::vector<double> v(m);
          for (double& a : v) a = random.uniform(-1, 1);
          std::vector<double> all(n);
          K.apply(v, 1, all);
          for (std::size_t i = 0; i < n; i += 23) {
            double one = 0;
            K.apply(Rows(i, i + 1), v, 1, std::span(&one, 1));
            EXPECT_EQ(one, all[i]) << text << " " << name << " " << i;
          }
        }
    }
  }
}

TEST(Marks, PartsAndThreadsHaveTheSameProducts) {
  Random random(6);
  const std::size_t n = 1200;
  const std::size_t d = 40;
  const auto x = pictures(random, n, d);
  const Points X = Points::dense(x.data(), n, d);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i)
    if (!random.one_in(3)) rows.push_back(n - 1 - i);
  GramOptions how;
  how.storage = GramOptions::Storage::recomputed;
  how.threads = 1;
  const Gram K(mercer::rbf(0.05), X, how);
  how.threads = 2;
  const Gram K2(mercer::rbf(0.05), X, how);
  EXPECT_EQ(K.report().layout, "dense");
  ASSERT_GE(rows.size(), 576U);
  const Gram part = K2.part(rows, 2);
  constexpr std::size_t some = 576;
  const Rows columns(0, some);
  std::vector<double> v(some * 3);
  for (double& a : v) a = random.uniform(-1, 1);
  std::vector<double> one(n * 3);
  std::vector<double> two(n * 3);
  K.apply(Rows::all(), columns, v, 3, one);
  K2.apply(Rows::all(), columns, v, 3, two);
  EXPECT_EQ(one, two);
  // The columns of a part are its own points: the first of them are those chosen first.
  std::vector<double> of_part(rows.size() * 3);
  part.apply(Rows::all(), columns, v, 3, of_part);
  const std::vector<std::size_t> first(rows.begin(), rows.begin() + 576);
  std::vector<double> expected(rows.size() * 3);
  K.apply(rows, first, v, 3, expected);
  EXPECT_EQ(of_part, expected);
}

TEST(Marks, ZerosOfManyColumnsNeedNotBeEntries) {
  // As sparse as pictures are, given with all their numbers.
  Random random(7);
  const std::size_t n = 700;
  const std::size_t d = 200;
  std::vector<double> x(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = random.below(8) * 20;
    for (std::size_t j = at; j < at + 40; ++j) x[i * d + j] = random.uniform(0, 1);
  }
  const Points X = Points::dense(x.data(), n, d);
  const Gram K(mercer::rbf(0.1), X);
  EXPECT_EQ(K.report().layout, "dense");
  EXPECT_LT(K.report().cost, 100);
  std::vector<double> values(n * n);
  K.block(Rows::all(), Rows::all(), values.data(), n);
  for (std::size_t i = 0; i < n; i += 13)
    for (std::size_t j = 0; j < n; j += 11)
      EXPECT_NEAR(values[i * n + j],
                  mercer::rbf(0.1)(std::span(x).subspan(i * d, d), std::span(x).subspan(j * d, d)),
                  2e-5);
}

}  // namespace
