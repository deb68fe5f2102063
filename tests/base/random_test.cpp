// Random numbers: the published generator, and distributions by their moments.
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace {

using mercer::RandomNumbers;

TEST(RandomNumbers, AreFair) {
  RandomNumbers random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int c : counts) EXPECT_NEAR(c, 10000, 400);
  double sum = 0;
  double square = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    EXPECT_GE(u, 0);
    EXPECT_LT(u, 1);
    const double v = random.normal();
    sum += v;
    square += v * v;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(square / n, 1, 0.02);
}

// An independent splitmix64 and xoshiro256++, as published.
TEST(RandomNumbers, AreThePublishedOnes) {
  std::uint64_t x = 42;
  std::array<std::uint64_t, 4> s{};
  for (auto& word : s) {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    word = z ^ (z >> 31);
  }
  EXPECT_EQ(s[0], 13679457532755275413U);  // the first of splitmix64 from 42
  const auto rotl = [](std::uint64_t v, int k) { return (v << k) | (v >> (64 - k)); };
  RandomNumbers random(42);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t expected = rotl(s[0] + s[3], 23) + s[0];
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    EXPECT_EQ(random.bits(), expected);
  }
}

}  // namespace
