// What this machine can do, measured; and times that count only while it can.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <thread>

#include "timing.hpp"

namespace mercer::bench {

// Multiply-adds of floats per second, on that many threads at once: the best of three times as many
// rounds.
double peak_multiply_adds(unsigned threads, std::size_t rounds = 20'000'000);

// Bytes per second of filling that memory, by that many threads at once.
double write_rate(void* memory, std::size_t bytes, unsigned threads);

// Two processors of a virtual machine may share the units of one core for a while, or those of a
// neighbour: all at once then do half of what they did a minute ago, and a time taken in between
// says nothing of the program. Here a time counts when the peak was there before and after.
class AtPeak {
 public:
  explicit AtPeak(unsigned threads) : threads_(threads), peak_(peak_multiply_adds(threads)) {}

  [[nodiscard]] double peak() const { return peak_; }

  [[nodiscard]] bool now() {
    constexpr std::size_t some = 500'000;  // a few milliseconds
    const double found = peak_multiply_adds(threads_, some);
    peak_ = std::max(peak_, found);
    return found > 0.9 * peak_;
  }

  // The best of so many times that count. Where there was none among four times as many, the best
  // of all of them.
  template <class Work>
  double best_of(int rounds, const Work& work) {
    double best = std::numeric_limits<double>::infinity();
    double any = best;
    int good = 0;
    for (int tries = 0; good < rounds && tries < 4 * rounds; ++tries) {
      wait();
      const double time = seconds(work);
      any = std::min(any, time);
      if (!now()) continue;
      best = std::min(best, time);
      ++good;
    }
    return good > 0 ? best : any;
  }

 private:
  void wait() {
    for (int polls = 0; polls < 20 && !now(); ++polls)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

  unsigned threads_;
  double peak_;
};

}  // namespace mercer::bench
