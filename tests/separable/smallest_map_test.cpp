// The smallest map: its degree against sets made for it, its minimality by leaving things out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mercer/separable.hpp>

#include "support/random.hpp"

namespace {

using mercer::Matrix;
using mercer::Separability;
using mercer::SmallestMap;
using testing::ElementsAre;

Matrix points(std::size_t columns, std::vector<double> values) {
  Matrix t;
  t.columns = columns;
  t.rows = values.size() / columns;
  t.values = std::move(values);
  return t;
}

TEST(SmallestMap, ExclusiveOrOfSignsIsTheProduct) {
  const Matrix t = points(2, {-1, -1, -1, 1, 1, -1, 1, 1});
  const std::vector<int> y{1, -1, -1, 1};
  const auto m = mercer::smallest_map(t, y);
  ASSERT_EQ(m.kind, SmallestMap::Kind::found);
  EXPECT_EQ(m.degree, 2U);
  EXPECT_EQ(m.map, "[x1*x2]");
  EXPECT_TRUE(m.irreducible);
  EXPECT_TRUE(m.fewest);
  EXPECT_EQ(m.separability.separator->formula, "x1*x2");
  EXPECT_DOUBLE_EQ(m.separability.separator->margin, 1);
}

TEST(SmallestMap, AlternatingPointsOnALineNeedTheirNumberOfChanges) {
  for (std::uint32_t changes = 1; changes <= 5; ++changes) {
    Matrix t;
    t.columns = 1;
    std::vector<int> y;
    for (std::uint32_t i = 0; i <= changes; ++i) {
      t.values.push_back(i);
      y.push_back(i % 2 == 0 ? 1 : -1);
    }
    t.rows = y.size();
    const auto m = mercer::smallest_map(t, y);
    ASSERT_EQ(m.kind, SmallestMap::Kind::found) << changes;
    EXPECT_EQ(m.degree, changes);
  }
}

TEST(SmallestMap, ACircleAboutTheOrigin) {
  Random random(5);
  Matrix t;
  t.columns = 2;
  std::vector<int> y;
  while (y.size() < 60) {
    const auto x = random.point(2, -2, 2);
    const double r = x[0] * x[0] + x[1] * x[1];
    if (std::abs(r - 1.5) < 0.2) continue;
    t.values.insert(t.values.end(), x.begin(), x.end());
    y.push_back(r < 1.5 ? 1 : -1);
  }
  t.rows = y.size();
  const auto m = mercer::smallest_map(t, y);
  ASSERT_EQ(m.kind, SmallestMap::Kind::found);
  EXPECT_EQ(m.map, "[x1^2, x2^2]");
  // It can be pasted.
  EXPECT_EQ(mercer::separable(t, y, m.map).kind, Separability::Kind::separable);
  EXPECT_EQ(mercer::separable(t, y, "[x1^2]").kind, Separability::Kind::not_separable);
  EXPECT_EQ(mercer::separable(t, y, "[x2^2]").kind, Separability::Kind::not_separable);
}

TEST(SmallestMap, OnePointWithTwoLabelsIsBeyondAllMaps) {
  const auto m = mercer::smallest_map(points(1, {1, 2, 1}), std::vector<int>{1, -1, -1});
  EXPECT_EQ(m.kind, SmallestMap::Kind::impossible);
  EXPECT_THAT(m.same, ElementsAre(0, 2));
}

TEST(SmallestMap, TheHighestDegreeIsKept) {
  mercer::SmallestMapOptions options;
  options.max_degree = 2;
  const auto m =
      mercer::smallest_map(points(1, {1, 2, 3, 4}), std::vector<int>{1, -1, 1, -1}, options);
  EXPECT_EQ(m.kind, SmallestMap::Kind::too_large);
  EXPECT_EQ(m.degree, 2U);
  EXPECT_EQ(m.separability.kind, Separability::Kind::not_separable);
}

}  // namespace
