// Work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace mercer {

// Calls work(i) for every i below n, on up to `threads` threads (0: as many as the machine has), in
// any order. Where some of them throw, the exception of the lowest number is thrown on, whatever
// the number of threads; of those behind it some may not have been called. Throws Stopped where
// what this thread heeds (<mercer/stop.hpp>) was asked for. Tiny numbers are what they are here
// (base/tiny.hpp).
void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace mercer
