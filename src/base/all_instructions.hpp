// The functions of one kind for every instruction set of this machine.
//
// Highway could choose, too, but what does it lies in its library, whose clock is measured for five
// milliseconds whenever a program that links it begins. Its headers are all that we need.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/instructions.hpp"

namespace mercer {

// What those of `makers` give that run here, named as people write it. They are in the order of
// Highway's targets, the widest first; null: not compiled.
template <class Set>
std::vector<Set> of_all_instructions(std::initializer_list<Set (*)()> makers) {
  constexpr int first = HWY_HIGHEST_TARGET_BIT + 1 - HWY_MAX_DYNAMIC_TARGETS;
  std::vector<Set> all;
  int i = 0;
  for (const auto& make : makers) {
    const bool runs_anywhere = i == HWY_MAX_DYNAMIC_TARGETS;
    if (make != nullptr && (runs_anywhere || runs_here(std::int64_t{1} << (first + i)))) {
      all.push_back(make());
      all.back().name = instructions_name(all.back().name);
    }
    ++i;
  }
  return all;
}

// `make` of every target, in the file that is compiled for each of them.
#if HWY_ARCH_X86 || HWY_ARCH_ARM || HWY_ARCH_RVV || HWY_ARCH_PPC
#define MERCER_OF_ALL_INSTRUCTIONS(Set, make) \
  ::mercer::of_all_instructions<Set>({HWY_CHOOSE_TARGET_LIST(make), HWY_CHOOSE_FALLBACK(make)})
#else
#define MERCER_OF_ALL_INSTRUCTIONS(Set, make) \
  ::mercer::of_all_instructions<Set>({nullptr, HWY_CHOOSE_FALLBACK(make)})
#endif

}  // namespace mercer
