// Independent pieces of work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace mercer {

// Calls work(0) … work(count - 1), on up to `threads` threads (0: as many as the machine has).
// Where some of them throw, the exception of the lowest number is thrown, whatever the number of
// threads.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace mercer
