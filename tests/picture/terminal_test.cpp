#include "picture/terminal.hpp"

#include <gtest/gtest.h>
#include <map>

#include "picture/base64.hpp"

namespace mercer::picture {
namespace {

TEST(Terminal, WhatItAnswers) {
  EXPECT_EQ(answered("\x1b_Gi=31;OK\x1b\\\x1b[?62;c"), Inline::kitty);
  EXPECT_EQ(answered("\x1b[?62;4;22c"), Inline::sixel);
  EXPECT_EQ(answered("\x1b[?4c"), Inline::sixel);
  EXPECT_EQ(answered("\x1b[?62;14;42c"), Inline::none);
  EXPECT_EQ(answered("\x1b_Gi=31;ENOTSUP\x1b\\\x1b[?1;2c"), Inline::none);
  EXPECT_EQ(answered(""), Inline::none);
  EXPECT_EQ(answered("\x1b[?62;4"), Inline::none);
}

TEST(Terminal, Base64) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

// A plain reader of sixels: the colour of each pixel, in percent.
std::map<std::pair<std::size_t, std::size_t>, std::vector<int>> pixels(const std::string& text) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<int>> result;
  std::map<int, std::vector<int>> palette;
  std::size_t at = text.find('q') + 1;
  const auto number = [&] {
    int n = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0)
      n = 10 * n + (text[at++] - '0');
    return n;
  };
  std::size_t x = 0;
  std::size_t y = 0;
  int colour = 0;
  while (at < text.size() && text[at] != '\x1b') {
    const char c = text[at++];
    if (c == '"') {
      while (text[at] != '#') ++at;
    } else if (c == '#') {
      colour = number();
      if (text[at] == ';') {
        std::vector<int> parts;
        while (text[at] == ';') {
          ++at;
          parts.push_back(number());
        }
        EXPECT_EQ(parts[0], 2);
        palette[colour] = {parts[1], parts[2], parts[3]};
      }
    } else if (c == '$') {
      x = 0;
    } else if (c == '-') {
      x = 0;
      y += 6;
    } else {
      const int run = c == '!' ? number() : 1;
      const int bits = (c == '!' ? text[at++] : c) - '?';
      for (int r = 0; r < run; ++r, ++x)
        for (std::size_t k = 0; k < 6; ++k)
          if ((bits >> k & 1) != 0) {
            EXPECT_FALSE(result.contains({x, y + k})) << "drawn twice";
            result[{x, y + k}] = palette.at(colour);
          }
    }
  }
  return result;
}

TEST(Terminal, SixelsAreTheImage) {
  Image image{15, 14, {}};
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x)
      image.pixels.push_back(
          {static_cast<double>(x) / 14, static_cast<double>(y) / 13, x < 9 ? 1.0 : 0.0});
  const auto shown = pixels(sixel_text(image));
  ASSERT_EQ(shown.size(), image.pixels.size());
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) {
      const Colour& c = image.at(x, y);
      const auto& got = shown.at({x, y});
      EXPECT_NEAR(got[0], 100 * c.r, 6);
      EXPECT_NEAR(got[1], 100 * c.g, 6);
      EXPECT_NEAR(got[2], 100 * c.b, 6);
    }
}

}  // namespace
}  // namespace mercer::picture
