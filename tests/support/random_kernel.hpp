// Random texts over the whole grammar of the kernel language.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

struct RandomKernelOptions {
  std::uint32_t dimension = 3;  // of the points; every coordinate named exists
  bool numbers = false;         // x and z are numbers: dimension 1
  int size = 10;                // operations, roughly
  bool open = false;            // may have open parameters
  // Names of the columns that the coordinates came from; empty: no selection by name.
  std::vector<std::string> names;
};

// A text that parses. Kernels and other functions alike: most of them are undefined somewhere.
std::string random_kernel_text(Random& random, const RandomKernelOptions& options);

// A polynomial in the coordinates, x.z and |x-z|^2.
std::string random_polynomial_text(Random& random, std::uint32_t dimension, int size);
