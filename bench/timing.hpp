// Times, best of several: others use the machine, too.
#pragma once

#include <algorithm>
#include <chrono>

namespace mercer::bench {

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
double best_of(int rounds, const Work& work) {
  double best = seconds(work);
  for (int r = 1; r < rounds; ++r) best = std::min(best, seconds(work));
  return best;
}

}  // namespace mercer::bench
