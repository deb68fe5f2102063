#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "svm/float_passes.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#define HWY_COMPILE_ALL_ATTAINABLE

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// What must not be included inside of a target's region.
#include <array>
#include <cstddef>

#include "base/all_instructions.hpp"
#include "base/instructions.hpp"
#include "svm/float_passes.hpp"

#include "svm/simd/float_passes.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::support::HWY_NAMESPACE {

FloatPasses make_float_passes() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .move = move_floats,
          .partner = float_partner,
          .violating = violating};
}

}  // namespace mercer::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::support {

const std::vector<FloatPasses>& all_float_passes() {
  static const auto all = MERCER_OF_ALL_INSTRUCTIONS(FloatPasses, make_float_passes);
  return all;
}

const FloatPasses& float_passes(const std::string& name) {
  static const FloatPasses& in_use = instructions_in(all_float_passes());
  return name.empty() ? in_use : instructions_in(all_float_passes(), name);
}

}  // namespace mercer::support
#endif
