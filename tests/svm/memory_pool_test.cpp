// Memory that goes from one problem to the next.
#include "svm/memory_pool.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace mercer::support {
namespace {

constexpr std::size_t page = 4096;

TEST(MemoryPool, GivesTheSmallestThatIsLargeEnough) {
  MemoryPool pool;
  HugeMemory small = pool.take(page);
  HugeMemory large = pool.take(8 * page);
  const void* const at_small = small.data();
  const void* const at_large = large.data();
  pool.give_back(std::move(large));
  pool.give_back(std::move(small));
  pool.give_back({});  // nothing
  const HugeMemory again = pool.take(page / 2);
  EXPECT_EQ(again.data(), at_small);
  const HugeMemory other = pool.take(2 * page);
  EXPECT_EQ(other.data(), at_large);
  EXPECT_GE(other.size(), 8 * page);
  const HugeMemory fresh = pool.take(page);
  EXPECT_NE(fresh.data(), at_small);
  EXPECT_NE(fresh.data(), at_large);
}

TEST(MemoryPool, WhatIsLentComesBackOnce) {
  MemoryPool pool;
  const void* at = nullptr;
  {
    Lent first(pool, page);
    at = first.data();
    std::memset(first.data(), 7, page);
    Lent second(std::move(first));
    EXPECT_EQ(second.data(), at);
    Lent third;
    EXPECT_EQ(third.data(), nullptr);
    third = std::move(second);
    EXPECT_EQ(third.data(), at);
    const Lent meanwhile(pool, page);
    EXPECT_NE(meanwhile.data(), at);
    third = {};  // back
    const Lent again(pool, page);
    EXPECT_EQ(again.data(), at);
  }
  // Both are there, each once.
  const Lent a(pool, page);
  const Lent b(pool, page);
  const Lent c(pool, page);
  EXPECT_NE(a.data(), b.data());
  EXPECT_TRUE(a.data() == at || b.data() == at);
  EXPECT_NE(c.data(), at);
}

}  // namespace
}  // namespace mercer::support
