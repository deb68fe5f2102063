// Whether numbers that are too small to have all their digits (below 1.2e-38 for floats, 2.2e-308
// for doubles) count as 0.
//
// Processors compute with such numbers a hundred times as slowly as with others, and products of
// kernel values of points that are far from each other are full of them: a product of matrices
// with entries of 1e-21 took 5 s where it takes 37 ms. Nothing that is computed in bulk needs them.
#pragma once

#include <cstdint>

namespace mercer {

// On this thread, and in all that it does with parallel_for, for as long as this lives.
class TinyIsZero {
 public:
  explicit TinyIsZero(bool zero = true);
  TinyIsZero(const TinyIsZero&) = delete;
  TinyIsZero& operator=(const TinyIsZero&) = delete;
  ~TinyIsZero();

  [[nodiscard]] static bool in_force();

 private:
  std::uint64_t before_;
  bool changed_;
};

}  // namespace mercer
