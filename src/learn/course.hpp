// What all parts of one training share: its time and, where there is one, its checkpoint.
#pragma once

#include <algorithm>
#include <chrono>

#include "learn/checkpoint.hpp"

namespace mercer::learn {

struct Course {
  double seconds = 0;  // at most; 0: any number
  Checkpoint* checkpoint = nullptr;
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  // For what is still to be done, as `seconds` above: 0 is any number, so that none is a little.
  [[nodiscard]] double left() const {
    if (seconds == 0) return 0;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    constexpr double none = 1e-9;
    return std::max(none, seconds - passed.count());
  }
};

}  // namespace mercer::learn
