#include "picture/roc.hpp"

#include <gtest/gtest.h>
#include <memory>

namespace mercer::picture {
namespace {

// At every threshold, counted plainly; and the area under the line is the AUC.
TEST(Roc, IsWhatCountingSays) {
  std::uint32_t state = 5;
  const auto random = [&](std::uint32_t n) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % n;
  };
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 2 + random(60);
    std::vector<double> merits(n);
    const auto positive = std::make_unique<bool[]>(n);  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t i = 0; i < n; ++i) {
      merits[i] = random(round % 2 == 0 ? 6 : 1000);
      positive[i] = i == 0 || (i > 1 && random(3) == 0);
    }
    const auto curve = roc_curve(merits, {positive.get(), n});
    ASSERT_TRUE(curve);
    EXPECT_EQ(curve->corners.front().x + curve->corners.front().y, 0);
    EXPECT_EQ(curve->corners.back().x + curve->corners.back().y, 2);
    double area = 0;
    for (std::size_t k = 1; k < curve->corners.size(); ++k) {
      const Spot& a = curve->corners[k - 1];
      const Spot& b = curve->corners[k];
      EXPECT_GE(b.x, a.x);
      EXPECT_GE(b.y, a.y);
      area += (b.x - a.x) * (a.y + b.y) / 2;
      // Each corner is a threshold.
      bool found = false;
      for (const double t : merits) {
        double up = 0;
        double down = 0;
        double ups = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (merits[i] >= t) (positive[i] ? up : down) += 1;
          ups += positive[i] ? 1 : 0;
        }
        found = found || (std::abs(up / ups - b.y) < 1e-12 &&
                          std::abs(down / (static_cast<double>(n) - ups) - b.x) < 1e-12);
      }
      EXPECT_TRUE(found);
    }
    EXPECT_NEAR(area, curve->auc, 1e-12);
  }
}

TEST(Roc, NeedsBothSides) {
  const std::vector<double> merits{1, 2};
  const std::array<bool, 2> all{true, true};
  EXPECT_FALSE(roc_curve(merits, all));
}

}  // namespace
}  // namespace mercer::picture
