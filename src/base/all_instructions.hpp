// The functions of one kind for every instruction set of this machine.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/instructions.hpp"

namespace mercer {

// What `make` gives for each of them, the widest first, named as people write it. `make` is called
// with Highway's choice set to the one in turn: HWY_DYNAMIC_DISPATCH in it finds that one's.
template <class Set, class Make>
std::vector<Set> of_all_instructions(const Make& make) {
  const std::lock_guard lock(instructions_mutex());
  std::vector<Set> all;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    all.push_back(make());
    all.back().name = instructions_name(all.back().name);
  }
  hwy::GetChosenTarget().DeInit();
  return all;
}

}  // namespace mercer
