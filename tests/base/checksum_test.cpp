#include "base/checksum.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/random.hpp"

namespace {

// Those of the specification's own test program and of other implementations.
TEST(Checksum, KnownValues) {
  EXPECT_EQ(mercer::checksum(""), 0xef46db3751d8e999U);
  EXPECT_EQ(mercer::checksum("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(mercer::checksum("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(mercer::checksum("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1U);
}

TEST(Checksum, PiecesDoNotMatterAndChangesDo) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text(random.below(200), ' ');
    for (char& c : text) c = static_cast<char>(random.below(256));
    const auto whole = mercer::checksum(text);
    mercer::Checksum sum;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t count = std::min(text.size() - at, random.below(70));
      sum.add(std::string_view(text).substr(at, count));
      at += count;
    }
    EXPECT_EQ(sum.value(), whole);
    if (text.empty()) continue;
    text[random.below(text.size())] ^= static_cast<char>(1U << random.below(8));
    EXPECT_NE(mercer::checksum(text), whole);
  }
}

}  // namespace
