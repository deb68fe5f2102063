// Proofs in threads that end, as those of a server do.
#include <gtest/gtest.h>
#include <malloc.h>

#include <mercer/mercer.hpp>
#include <mercer/proof.hpp>
#include <thread>

namespace {

TEST(Threads, LeaveNoMemoryBehind) {
  const auto prove_once = [] {
    std::thread([] {
      mercer::ProofOptions options;
      options.dimension = 2;
      const auto v = mercer::prove(mercer::Kernel::parse("sigmoid(1)", {.dimension = 2}), options);
      EXPECT_EQ(v.kind, mercer::Verdict::Kind::not_a_kernel);
    }).join();
  };
  for (int i = 0; i < 5; ++i) prove_once();  // what is kept for all of them
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 40; ++i) prove_once();
  const std::size_t after = mallinfo2().uordblks;
  EXPECT_LT(after, before + 500'000);  // each left 230 kB
}

}  // namespace
