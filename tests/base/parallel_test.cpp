// Every piece once, and the first failure by number.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace {

TEST(Parallel, EveryPieceOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    std::vector<std::atomic<int>> done(1000);
    mercer::parallel_for(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& d : done) EXPECT_EQ(d, 1);
  }
  mercer::parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(Parallel, TheFirstFailureByNumber) {
  for (int round = 0; round < 200; ++round) {
    try {
      mercer::parallel_for(50, 4, [](std::size_t i) {
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

}  // namespace
