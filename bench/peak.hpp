// What this machine can do, measured.
#pragma once

#include <cstddef>

namespace mercer::bench {

// Multiply-adds of floats per second, on that many threads at once.
double peak_multiply_adds(unsigned threads);

// Bytes per second of filling that memory, by that many threads at once.
double write_rate(void* memory, std::size_t bytes, unsigned threads);

}  // namespace mercer::bench
