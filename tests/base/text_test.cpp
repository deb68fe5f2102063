// Numbers as text, columns in UTF-8, nearest names.
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"

namespace {

TEST(Text, ShortestDecimalReadsBack) {
  EXPECT_EQ(mercer::shortest(0.1), "0.1");
  EXPECT_EQ(mercer::shortest(1), "1");
  EXPECT_EQ(mercer::shortest(-2.5), "-2.5");
  EXPECT_EQ(mercer::shortest(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(mercer::shortest(0), "0");
  EXPECT_EQ(mercer::shortest(std::nan("")), "nan");
  EXPECT_EQ(mercer::shortest(-std::numeric_limits<double>::infinity()), "-inf");
  Random random(1);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t bits = random.bits();
    double v = 0;
    std::memcpy(&v, &bits, sizeof v);
    if (!std::isfinite(v)) continue;
    EXPECT_EQ(std::strtod(mercer::shortest(v).c_str(), nullptr), v);
  }
}

TEST(Text, Points) {
  const std::vector<double> two{1, 2.5};
  EXPECT_EQ(mercer::point_text(two), "(1, 2.5)");
  const std::vector<double> one{-3};
  EXPECT_EQ(mercer::point_text(one), "(-3)");
  EXPECT_EQ(mercer::point_text({}), "()");
  std::vector<double> many(1000, 1.0);
  many.back() = 7;
  const std::string text = mercer::point_text(many);
  EXPECT_LT(text.size(), 60U);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_TRUE(text.ends_with("7)"));
}

TEST(Text, CharactersOfUtf8) {
  EXPECT_EQ(mercer::characters(""), 0U);
  EXPECT_EQ(mercer::characters("abc"), 3U);
  EXPECT_EQ(mercer::characters("x·z"), 3U);
  EXPECT_EQ(mercer::characters("‖x−z‖²"), 6U);
  EXPECT_EQ(mercer::character_length("a"), 1U);
  EXPECT_EQ(mercer::character_length("·x"), 2U);
  EXPECT_EQ(mercer::character_length("−"), 3U);
  EXPECT_EQ(mercer::character_length("😀"), 4U);
  EXPECT_EQ(mercer::character_length("\xE2\x88"), 1U);  // cut short
  EXPECT_EQ(mercer::character_length("\x80"), 1U);      // stray
  EXPECT_EQ(mercer::character_length("\xC3z"), 1U);
}

TEST(Text, NearestName) {
  const std::vector<std::string_view> known{"linear", "poly", "rbf", "laplacian", "cosine", "exp"};
  const auto nearest = [&](std::string_view name) { return mercer::nearest(name, known); };
  EXPECT_EQ(nearest("rfb"), "rbf");
  EXPECT_EQ(nearest("liner"), "linear");
  EXPECT_EQ(nearest("ploy"), "poly");
  EXPECT_EQ(nearest("laplacain"), "laplacian");
  EXPECT_EQ(nearest("cosin"), "cosine");
  EXPECT_EQ(nearest("expp"), "exp");
  EXPECT_EQ(nearest("RBF"), "rbf");
  EXPECT_EQ(nearest("banana"), "");
  EXPECT_EQ(nearest(""), "");
  EXPECT_EQ(nearest(std::string(100, 'x')), "");
  EXPECT_EQ(mercer::nearest("rbf", {}), "");
}

TEST(Text, Counted) {
  EXPECT_EQ(mercer::counted(0, "row"), "0 rows");
  EXPECT_EQ(mercer::counted(1, "row"), "1 row");
  EXPECT_EQ(mercer::counted(2, "class", "classes"), "2 classes");
  EXPECT_EQ(mercer::counted(1, "class", "classes"), "1 class");
}

TEST(Text, Quotes) {
  EXPECT_EQ(mercer::in_quotes("age"), "\"age\"");
  EXPECT_EQ(mercer::in_quotes("a\"b"), "\"a\\\"b\"");
  EXPECT_EQ(mercer::in_quotes("a\\b"), "\"a\\\\b\"");
  EXPECT_EQ(mercer::in_quotes(""), "\"\"");
}

}  // namespace
