// Every piece once, and the first failure by number.
#include "base/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mercer/stop.hpp>
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

// Few pieces are handed out differently from many.
TEST(Parallel, NestedAndOfAnySize) {
  for (const std::size_t n : {2U, 3U, 64U, 65U}) {
    std::vector<std::atomic<int>> done(n * 70);
    mercer::parallel_for(n, 0, [&](std::size_t i) {
      mercer::parallel_for(70, 0, [&](std::size_t j) { ++done[i * 70 + j]; });
    });
    for (const auto& d : done) EXPECT_EQ(d, 1);
  }
}

#if !defined(__SANITIZE_THREAD__)
// Programs that fork after using us (Python's multiprocessing) have no other threads in the child.
TEST(Parallel, GoesOnInAForkedProcess) {
  std::atomic<int> sum{0};
  mercer::parallel_for(1000, 0, [&](std::size_t) { ++sum; });
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    for (int round = 0; round < 20; ++round) {
      mercer::parallel_for(10, 0, [&](std::size_t) { ++sum; });
      mercer::parallel_for(1000, 0, [&](std::size_t) { ++sum; });
    }
    _exit(sum == 1000 + 20 * 1010 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

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

TEST(Parallel, StopsWhereItIsAskedTo) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    mercer::Stop stop;
    std::atomic<int> done = 0;
    const auto work = [&](std::size_t) {
      mercer::parallel_for(100, threads, [&](std::size_t) {  // inner ones heed it, too
        if (++done == 1000) stop.ask();
      });
    };
    {
      const mercer::Stop::Heeded heeded(&stop);
      EXPECT_THROW(mercer::parallel_for(1000, threads, work), mercer::Stopped);
      EXPECT_THROW(mercer::Stop::check(), mercer::Stopped);
    }
    EXPECT_GE(done, 1000);
    EXPECT_LT(done, 1000 + 2 * static_cast<int>(threads));
    mercer::Stop::check();  // nobody heeds it any more
    mercer::parallel_for(10, threads, work);
    EXPECT_GE(done, 2000);
  }
}

}  // namespace
