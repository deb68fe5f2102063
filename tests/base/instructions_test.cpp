#include "base/instructions.hpp"

#include <gmock/gmock.h>
#include <hwy/targets.h>

#include <mercer/error.hpp>

namespace mercer {
namespace {

// Highway's library says the same, by its own look at the processor.
TEST(Instructions, RunHereWhereHighwaySaysSo) {
  const std::int64_t supported = hwy::SupportedTargets();
#if HWY_ARCH_X86
  for (const std::int64_t target : {HWY_SSE4, HWY_AVX2, HWY_AVX3})
    EXPECT_EQ(runs_here(target), (supported & target) != 0) << hwy::TargetName(target);
#endif
  EXPECT_TRUE(runs_here(HWY_STATIC_TARGET));
  EXPECT_NE(supported & HWY_STATIC_TARGET, 0);
}

TEST(Instructions, AreFoundByNameInAnyCase) {
  const std::vector<std::string> names{"AVX-512", "AVX2", "scalar"};
  EXPECT_EQ(find_instructions(names, "avx512"), 0U);
  EXPECT_EQ(find_instructions(names, "AVX2"), 1U);
  EXPECT_EQ(find_instructions(names, "Scalar"), 2U);
  EXPECT_THROW(find_instructions(names, "AVX"), Error);
}

}  // namespace
}  // namespace mercer
