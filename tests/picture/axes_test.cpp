#include "picture/axes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::picture {
namespace {

std::vector<std::string> texts(const Axis& axis, std::size_t most) {
  std::vector<std::string> result;
  for (const auto& t : ticks_of(axis, most)) result.push_back(t.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(Ticks, RoundNumbers) {
  EXPECT_EQ(texts({"", 0, 1}, 5), (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(texts({"", -3.2, 7.9}, 6), (Texts{"-2", "0", "2", "4", "6"}));
  EXPECT_EQ(texts({"", 0, 2e6}, 4), (Texts{"0", "5e5", "1.0e6", "1.5e6", "2.0e6"}));
  EXPECT_EQ(texts({"", 0.01, 1000, true}, 8), (Texts{"0.01", "0.1", "1", "10", "100", "1000"}));
  EXPECT_EQ(texts({"", 3, 60, true}, 9), (Texts{"5", "10", "20", "50"}));
  EXPECT_EQ(texts({"", 1e-8, 6e-8, true}, 9), (Texts{"1e-8", "2e-8", "5e-8"}));
  EXPECT_EQ(texts({"", 4.3e-4, 5.1e-4}, 3), (Texts{"4.5e-4", "5.0e-4"}));
}

// One tick says where something is, and not how large it is.
TEST(Ticks, MoreThanOne) {
  EXPECT_EQ(texts({"", 2050, 3750}, 3), (Texts{"2500", "3000", "3500"}));
  EXPECT_EQ(texts({"", 2.2, 4.5, true}, 4), (Texts{"3", "4"}));
}

TEST(Ticks, InTheUnitsOfTheFile) {
  Axis axis{"age", -1, 1};
  axis.center = 40;
  axis.scale = 10;
  EXPECT_EQ(texts(axis, 4), (Texts{"30", "35", "40", "45", "50"}));
  for (const auto& t : ticks_of(axis, 4)) EXPECT_NEAR(t.value * 10 + 40, std::stod(t.text), 1e-9);
}

TEST(Ticks, WholeNumbers) {
  Axis axis{"pass", 1, 3};
  axis.whole = true;
  EXPECT_EQ(texts(axis, 10), (Texts{"1", "2", "3"}));
}

// Whatever the range: inside of it, ascending, not too many, and each text says its value.
TEST(Ticks, Laws) {
  std::uint32_t state = 7;
  const auto random = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8U) / (1U << 24U);
  };
  for (int round = 0; round < 3000; ++round) {
    const double size = std::pow(10.0, 16 * random() - 8);
    const double low = (random() - 0.5) * size;
    const Axis axis{"", low, low + random() * size + size * 1e-6};
    const std::size_t most = 2 + static_cast<std::size_t>(10 * random());
    const auto ticks = ticks_of(axis, most);
    EXPECT_LE(ticks.size(), most + 1);
    EXPECT_GE(ticks.size(), most / 3);
    const double slack = 1e-6 * (axis.high - axis.low);
    for (std::size_t k = 0; k < ticks.size(); ++k) {
      EXPECT_GE(ticks[k].value, axis.low - slack);
      EXPECT_LE(ticks[k].value, axis.high + slack);
      EXPECT_NEAR(std::stod(ticks[k].text), ticks[k].value, 1e-6 * (axis.high - axis.low));
      if (k > 0) {
        EXPECT_NE(ticks[k].text, ticks[k - 1].text);
      }
    }
  }
}

TEST(Axes, OneValueHasRoomAroundIt) {
  for (const double v : {0.0, 5.0, -1e-9, 1e12}) {
    const Axis axis = axis_around("", v, v);
    EXPECT_LT(axis.low, v);
    EXPECT_GT(axis.high, v);
  }
}

TEST(Text, IsCutAtCharactersAndCleaned) {
  EXPECT_EQ(clean("a\xff\tb\xc3\xa9"), "a\xef\xbf\xbd b\xc3\xa9");
  EXPECT_EQ(clean("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  const std::string text = "ééééééééééééééééé";
  const std::string cut = shortened(text, 12, 60);
  EXPECT_LE(text_width(cut, 12), 60);
  EXPECT_EQ(clean(cut), cut);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_EQ(shortened("abc", 12, 600), "abc");
  for (const auto& line : wrapped("one two three four five six seven", 12, 70, 9))
    EXPECT_LE(text_width(line, 12), 70);
}

}  // namespace
}  // namespace mercer::picture
