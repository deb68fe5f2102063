// Tiny numbers count as 0 where that was asked for, on every thread, and nowhere else.
#include "base/tiny.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "base/parallel.hpp"

namespace {

using mercer::TinyIsZero;

// Half of the smallest normal number, computed now.
float half_of_least() {
  volatile float least = std::numeric_limits<float>::min();
  return least * 0.5F;
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(Tiny, IsZeroForAsLongAsThatLives) {
  EXPECT_FALSE(TinyIsZero::in_force());
  EXPECT_NE(half_of_least(), 0.0F);
  {
    const TinyIsZero zero;
    EXPECT_TRUE(TinyIsZero::in_force());
    EXPECT_EQ(half_of_least(), 0.0F);
    {
      const TinyIsZero again;
      EXPECT_EQ(half_of_least(), 0.0F);
    }
    EXPECT_TRUE(TinyIsZero::in_force());
    {
      const TinyIsZero not_here(false);
      EXPECT_NE(half_of_least(), 0.0F);
    }
    EXPECT_EQ(half_of_least(), 0.0F);
  }
  EXPECT_FALSE(TinyIsZero::in_force());
  EXPECT_NE(half_of_least(), 0.0F);
}

// Also where a thread that waits for its own pieces takes one of another's.
TEST(Tiny, IsWhatItIsForWhoeverAsks) {
  for (const std::size_t n : {3U, 200U})
    for (const bool zero : {false, true}) {
      std::atomic<int> wrong = 0;
      const TinyIsZero outside(zero);
      mercer::parallel_for(n, 0, [&](std::size_t) {
        if ((half_of_least() == 0) != zero) ++wrong;
        {
          const TinyIsZero inside(!zero);
          mercer::parallel_for(20, 0, [&](std::size_t) {
            if ((half_of_least() == 0) == zero) ++wrong;
          });
        }
        if ((half_of_least() == 0) != zero) ++wrong;
      });
      EXPECT_EQ(wrong, 0);
      EXPECT_EQ(TinyIsZero::in_force(), zero);
    }
}
#endif

}  // namespace
