#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "peak-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::bench::HWY_NAMESPACE {

double multiply_adds_float(std::size_t rounds) {
  float result = 1;
  return multiply_adds<float>(rounds, result) + (result == 0.123F ? 1 : 0);
}

}  // namespace mercer::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "peak.hpp"

namespace mercer::bench {

HWY_EXPORT(multiply_adds_float);

double peak_multiply_adds(unsigned threads, std::size_t rounds) {
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<double> done(threads);
    const double time = seconds([&] {
      std::vector<std::thread> all;
      for (unsigned t = 0; t < threads; ++t)
        all.emplace_back([&, t] { done[t] = HWY_DYNAMIC_DISPATCH(multiply_adds_float)(rounds); });
      for (auto& t : all) t.join();
    });
    double total = 0;
    for (const double n : done) total += n;
    best = std::max(best, total / time);
  }
  return best;
}

double write_rate(void* memory, std::size_t bytes, unsigned threads) {
  const std::size_t part = bytes / threads;
  const double time = best_of(5, [&] {
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t)
      all.emplace_back([=] { std::memset(static_cast<char*>(memory) + t * part, 1, part); });
    for (auto& t : all) t.join();
  });
  return static_cast<double>(part) * threads / time;
}

}  // namespace mercer::bench
#endif
