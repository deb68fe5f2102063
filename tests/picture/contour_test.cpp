#include "picture/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace mercer::picture {
namespace {

std::vector<double> field(std::size_t columns, std::size_t rows,
                          const std::function<double(double, double)>& f) {
  std::vector<double> values;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < columns; ++i)
      values.push_back(f(static_cast<double>(i), static_cast<double>(j)));
  return values;
}

TEST(Contour, ALineOfAPlane) {
  const auto lines = contours(field(12, 9, [](double x, double y) { return x - y - 0.5; }), 12, 0);
  ASSERT_EQ(lines.size(), 1U);
  for (const Spot& s : lines[0]) EXPECT_NEAR(s.x - s.y, 0.5, 1e-12);
  EXPECT_GE(lines[0].size(), 16U);
}

TEST(Contour, ACircleCloses) {
  constexpr double r = 7.3;
  const auto lines = contours(
      field(24, 24, [](double x, double y) { return std::hypot(x - 11.5, y - 11.5); }), 24, r);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  for (const Spot& s : lines[0]) EXPECT_NEAR(std::hypot(s.x - 11.5, s.y - 11.5), r, 0.05);
}

// However wild the signs are: every edge between neighbours of different sign is met exactly once.
TEST(Contour, EveryChangeOfSignIsMetOnce) {
  std::uint32_t state = 1;
  constexpr std::size_t n = 17;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values;
    for (std::size_t k = 0; k < n * n; ++k) {
      state = state * 1664525U + 1013904223U;
      values.push_back(static_cast<double>(state >> 8U) / (1U << 24U) - 0.5);
    }
    std::size_t changes = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        const bool up = values[j * n + i] > 0;
        if (i + 1 < n && up != (values[j * n + i + 1] > 0)) ++changes;
        if (j + 1 < n && up != (values[(j + 1) * n + i] > 0)) ++changes;
      }
    std::size_t met = 0;
    for (const auto& line : contours(values, n, 0)) {
      ASSERT_GE(line.size(), 2U);
      const bool closed = line.front().x == line.back().x && line.front().y == line.back().y;
      met += line.size() - (closed && line.size() > 2 ? 1 : 0);
      // A line goes from cell to cell.
      for (std::size_t k = 1; k < line.size(); ++k)
        EXPECT_LE(std::hypot(line[k].x - line[k - 1].x, line[k].y - line[k - 1].y), 1.4143);
    }
    EXPECT_EQ(met, changes);
  }
}

TEST(Contour, NoLineThroughWhatIsNotFinite) {
  auto values = field(5, 5, [](double x, double) { return x - 2.5; });
  for (double& v : values) v = v > 0 ? std::numeric_limits<double>::infinity() : v;
  EXPECT_TRUE(contours(values, 5, 0).empty());
}

}  // namespace
}  // namespace mercer::picture
