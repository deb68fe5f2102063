// The innermost loops of searches, where kernel values, gradients and gains are floats: twice as
// many at a time as in svm/passes.hpp, whose words are used here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "svm/passes.hpp"

namespace mercer::support {

struct FloatExtreme {
  float value = 0;
  std::uint32_t index = nobody;
};
struct FloatPartner {
  FloatExtreme gain;  // index: nobody where nothing is gained
  float largest = -std::numeric_limits<float>::infinity();
};

struct FloatPasses {
  std::string name;

  // F += t (row_i - row_j), then the least F of those that may grow. With t = 0 the least only.
  FloatExtreme (*move)(float* F, const float* up, const float* row_i, const float* row_j, float t,
                       std::size_t size) = nullptr;

  // As in Passes.
  FloatPartner (*partner)(const float* F, const float* low, const float* row, const float* diagonal,
                          float F_i, float K_ii, std::size_t size) = nullptr;

  // Some of those that are furthest beyond that level, as ones that may grow or that may shrink: of
  // each lane the one that is, by how much. Those `aside`, which have infinity there and not 0, do
  // not count. Returns how many they are, up to pass_step.
  std::size_t (*violating)(const float* F, const float* up, const float* low, const float* aside,
                           float level, std::size_t size, FloatExtreme* found) = nullptr;
};

// All that this machine can run, the widest first.
const std::vector<FloatPasses>& all_float_passes();

// The one in use (see base/instructions.hpp), or the one of that name.
const FloatPasses& float_passes(const std::string& name = {});

}  // namespace mercer::support
