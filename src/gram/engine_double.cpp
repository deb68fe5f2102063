// The engine for double, compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gram/engine_double.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#define HWY_COMPILE_ALL_ATTAINABLE

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// What must not be included inside of a target's region.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/aligned.hpp"
#include "base/all_instructions.hpp"
#include "gram/engine.hpp"
#include "gram/engine_table.hpp"

#include "gram/simd/math.hpp"

#include "gram/simd/matern.hpp"
#include "gram/simd/reductions.hpp"
#include "gram/simd/steps.hpp"

#include "gram/simd/products.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

Engine<double> engine_of_double() { return make_engine<double>(); }

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::gram {

template <>
std::vector<Engine<double>> all_engines<double>() {
  return MERCER_OF_ALL_INSTRUCTIONS(Engine<double>, engine_of_double);
}

}  // namespace mercer::gram
#endif
