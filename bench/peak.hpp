// What this machine can do, measured.
#pragma once

#include <cstddef>

namespace mercer::bench {

// Multiply-adds of floats per second, on that many threads at once.
double peak_multiply_adds(unsigned threads);

// Bytes per second of a plain copy of large memory, read and written.
double copy_rate();

}  // namespace mercer::bench
