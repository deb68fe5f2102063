// As svm/inner.hpp, for searches: one stretch of variables whose sum is kept, gradients in floats.
// The gradients are good to about 1e-6 of the largest; whoever asks begins with exact ones each
// time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "svm/float_passes.hpp"

namespace mercer::support {

class FloatInner {
 public:
  explicit FloatInner(const std::string& instructions) : passes_(float_passes(instructions)) {}

  // Forgets all variables; `size` others follow.
  void begin(std::size_t size);
  // `row`: K at all of them, with zeros up to a multiple of pass_step.
  void set(std::size_t at, const float* row, double beta, double F, double lower, double upper);

  struct End {
    std::size_t moves = 0;
    float violation = 0;  // the largest left
  };
  // Until no two variables violate optimality by more than `tolerance`, or after that many moves.
  End solve(float tolerance, std::size_t most_moves);

  [[nodiscard]] double beta(std::size_t at) const { return beta_[at]; }

 private:
  void mark(std::size_t at);

  const FloatPasses& passes_;
  std::vector<const float*> rows_;
  std::vector<double> beta_;
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<float> F_;
  std::vector<float> diagonal_;
  std::vector<float> up_;
  std::vector<float> low_;
};

}  // namespace mercer::support
