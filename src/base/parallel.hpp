// Work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace mercer {

// Calls work(i) for every i below n, on up to `threads` threads (0: as many as the machine has), in
// any order. The first exception is thrown on.
void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace mercer
