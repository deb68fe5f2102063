#include "base/parallel.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "base/machine.hpp"

namespace mercer {

void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work) {
  threads = threads == 0 ? hardware_threads() : std::min(threads, hardware_threads());
  if (threads == 1 || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) work(i);
    return;
  }
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 1),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t i = range.begin(); i != range.end(); ++i) work(i);
                      });
  });
}

}  // namespace mercer
