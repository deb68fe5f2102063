// Rows that come few at a time are those of blocks, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>
#include <string>
#include <utility>
#include <vector>

#include "laws/roster.hpp"
#include "support/random.hpp"

namespace mercer {
namespace {

using Precision = GramOptions::Precision;

std::vector<double> numbers(std::size_t n, std::size_t d, double zeros) {
  Random random(11);
  std::vector<double> x(n * d);
  for (auto& v : x)
    if (!(random.uniform(0, 1) < zeros)) v = random.uniform(0, 2 / std::sqrt(double(d)));
  return x;
}

template <class T>
void expect_rows_of_blocks(const Gram& K) {
  const std::size_t columns = K.columns();
  std::vector<T> all(K.rows() * columns);
  K.block(Rows::all(), Rows::all(), all.data(), columns);
  GramRows rows(K);
  constexpr T untouched = 77;
  for (const std::vector<std::size_t>& which : std::vector<std::vector<std::size_t>>{
           {0}, {5, 2}, {K.rows() - 1, 0, 7}, {3, 3}, {9, 8, 7, 6, 5}})
    for (const auto& [begin, end] : std::vector<std::pair<std::size_t, std::size_t>>{
             {0, columns}, {64, 65}, {64, std::min<std::size_t>(columns, 200)}, {0, 0}}) {
      std::vector<std::vector<T>> values(which.size(), std::vector<T>(end - begin + 1, untouched));
      std::vector<T*> to(which.size());
      std::ranges::transform(values, to.begin(), [](auto& v) { return v.data(); });
      rows.rows(which, begin, end, std::span<T* const>(to));
      for (std::size_t r = 0; r < which.size(); ++r) {
        for (std::size_t j = begin; j < end; ++j)
          ASSERT_EQ(values[r][j - begin], all[which[r] * columns + j])
              << "row " << which[r] << ", column " << j;
        ASSERT_EQ(values[r].back(), untouched);
      }
    }
}

class RowsOfEveryKernel : public testing::TestWithParam<Member> {};

TEST_P(RowsOfEveryKernel, AreThoseOfBlocks) {
  if (!GetParam().has_values) GTEST_SKIP();
  const Kernel k = Kernel::parse(GetParam().text);
  const std::size_t d = k.only_dimension_one() ? 1 : std::max<std::size_t>(5, k.least_dimension());
  const auto x = numbers(40, d, 0);
  const auto z = numbers(1700, d, 0);  // more than a tile has numbers
  for (const auto& name : gram_instructions())
    for (const auto precision : {Precision::float32, Precision::float64}) {
      GramOptions how;
      how.precision = precision;
      how.instructions = name;
      how.storage = GramOptions::Storage::recomputed;
      SCOPED_TRACE(k.text() + " on " + name);
      const Gram K(k, Points::dense(x.data(), 40, d), Points::dense(z.data(), 1700, d), how);
      if (precision == Precision::float32) {
        expect_rows_of_blocks<float>(K);
      } else {
        expect_rows_of_blocks<double>(K);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Roster, RowsOfEveryKernel, testing::ValuesIn(roster()),
                         [](const auto& member) { return std::to_string(member.index); });

TEST(GramRows, WhateverIsKeptAndAskedFor) {
  const auto x = numbers(500, 300, 0.8);
  const Points points = Points::dense(x.data(), 500, 300);
  for (const auto storage :
       {GramOptions::Storage::full, GramOptions::Storage::rows, GramOptions::Storage::recomputed}) {
    GramOptions how;
    how.storage = storage;
    const Gram K(rbf(0.1) * poly(2), points, how);
    expect_rows_of_blocks<float>(K);
    expect_rows_of_blocks<double>(K);
    // A part has them, too.
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < 300; ++i) some.push_back(i * 7 % 500);
    expect_rows_of_blocks<float>(K.part(some));
  }
}

TEST(GramRows, OfEntries) {
  const auto x = numbers(300, 2000, 0.99);
  GramOptions how;
  how.storage = GramOptions::Storage::recomputed;
  for (const char* text : {"rbf(0.5)", "laplacian(0.1)", "anova(2)"}) {
    const Points points = Points::dense(x.data(), 300, 2000);
    const Gram K(Kernel::parse(text), points, how);
    expect_rows_of_blocks<float>(K);
  }
}

TEST(GramRows, NamesTheRowsWithoutAValue) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  GramOptions how;
  how.storage = GramOptions::Storage::recomputed;
  const Gram K(Kernel::parse("1/(x-z)"), Points::dense(x.data(), 6, 1), how);
  GramRows rows(K);
  std::vector<float> first(6);
  std::vector<float> second(6);
  const std::vector<float*> to{first.data(), second.data()};
  try {
    rows.rows(std::vector<std::size_t>{5, 1}, 0, 6, std::span<float* const>(to));
    FAIL();
  } catch (const GramError& error) {
    EXPECT_EQ(error.row(), 5U);
    EXPECT_EQ(error.column(), 5U);
  }
}

TEST(GramRows, RefusesWhatIsNotThere) {
  const auto x = numbers(100, 3, 0);
  const Points points = Points::dense(x.data(), 100, 3);
  const Gram K(rbf(1), points);
  GramRows rows(K);
  std::vector<float> values(200);
  const std::vector<float*> to{values.data()};
  const auto ask = [&](std::vector<std::size_t> which, std::size_t begin, std::size_t end) {
    rows.rows(which, begin, end, std::span<float* const>(to));
  };
  EXPECT_THROW(ask({100}, 0, 10), Error);
  EXPECT_THROW(ask({0}, 0, 101), Error);
  EXPECT_THROW(ask({0}, 10, 20), Error);
  EXPECT_THROW(ask({0, 1}, 0, 10), Error);
  const Kernel two[] = {rbf(1), rbf(2)};  // NOLINT(modernize-avoid-c-arrays)
  EXPECT_THROW(GramRows(Gram(two, points)), Error);
}

}  // namespace
}  // namespace mercer
