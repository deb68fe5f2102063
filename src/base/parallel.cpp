#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/machine.hpp"

namespace mercer {

namespace {

// Numbers are handed out in ascending order: when one fails, all lower ones have begun, and those
// not yet begun cannot matter.
class Pieces {
 public:
  Pieces(std::size_t count, const std::function<void(std::size_t)>& work)
      : end_(count), work_(work) {}

  void run() {
    for (std::size_t i = next_++; i < end_; i = next_++) {
      try {
        work_(i);
      } catch (...) {
        note(i);
      }
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void note(std::size_t i) {
    const std::lock_guard lock(mutex_);
    if (i >= end_) return;
    end_ = i;
    failure_ = std::current_exception();
  }

  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> end_;
  const std::function<void(std::size_t)>& work_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work) {
  Pieces pieces(count, work);
  const std::size_t wanted =
      std::min<std::size_t>(count, threads == 0 ? hardware_threads() : threads);
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < wanted; ++t) others.emplace_back([&pieces] { pieces.run(); });
    pieces.run();
  }
  pieces.rethrow();
}

}  // namespace mercer
