#include "base/parallel.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mercer/stop.hpp>
#include <mutex>
#include <thread>
#include <vector>

#include "base/machine.hpp"
#include "base/tiny.hpp"

namespace mercer {

namespace {

// The lowest number that has failed so far. What is behind it need not be done any more, what is
// before it may still fail.
class Failures {
 public:
  explicit Failures(std::size_t n) : lowest_(n) {}

  void run(std::size_t i, const std::function<void(std::size_t)>& work) {
    if (i > lowest_.load(std::memory_order_relaxed)) return;
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (i >= lowest_) return;
      lowest_ = i;
      failure_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::atomic<std::size_t> lowest_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

#if defined(__SANITIZE_THREAD__)
// How oneTBB hands work around is hidden from the thread sanitizer, which would see races
// everywhere: plain threads show it ours.
void on_threads(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (std::size_t i = next++; i < n; i = next++) work(i);
    });
  for (auto& t : all) t.join();
}
#else
// Kept for good: making one, and ending it, takes longer than much of the work it is asked for.
tbb::task_arena& arena_for(unsigned threads) {
  static std::mutex mutex;
  static auto* const arenas = new std::map<unsigned, std::unique_ptr<tbb::task_arena>>;
  const std::lock_guard lock(mutex);
  auto& arena = (*arenas)[threads];
  if (!arena) arena = std::make_unique<tbb::task_arena>(static_cast<int>(threads));
  return *arena;
}

void on_threads(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work) {
  tbb::task_arena& arena = arena_for(threads);
  // Few pieces are large ones: whoever is free takes the next, so that none ends long after the
  // others. Of many, neighbours stay together.
  constexpr std::size_t few = 64;
  if (n <= few) {
    std::atomic<std::size_t> next{0};
    arena.execute([&] {
      tbb::parallel_for(0U, threads, [&](unsigned) {
        for (std::size_t i = next++; i < n; i = next++) work(i);
      });
    });
    return;
  }
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t i = range.begin(); i != range.end(); ++i) work(i);
                      });
  });
}
#endif

}  // namespace

void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work) {
  // More threads than the machine has only wait for each other, and oneTBB says so on stderr.
  threads = threads == 0 ? hardware_threads() : std::min(threads, hardware_threads());
  if (threads == 1 || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) {
      Stop::check();
      work(i);
    }
    return;
  }
  Failures failures(n);
  const Stop* const stop = Stop::current();
  const std::function<void(std::size_t)> checked = [&](std::size_t i) {
    const Stop::Heeded heeded(stop);  // other threads heed what this one does
    Stop::check();
    work(i);
  };
  // Numbers are to be the same whoever computes them: also one who waits for something else.
  const bool tiny_is_zero = TinyIsZero::in_force();
  on_threads(n, threads, [&](std::size_t i) {
    const TinyIsZero as_here(tiny_is_zero);
    failures.run(i, stop == nullptr ? work : checked);
  });
  failures.rethrow();
}

}  // namespace mercer
