// As svm/inner.hpp, for searches: one stretch of variables whose sum is kept, gradients in floats.
// The gradients are good to about 1e-6 of the largest; whoever asks begins with exact ones each
// time. Here, too, all variables between their bounds are moved together where moves take long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "svm/float_passes.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

class FloatInner {
 public:
  explicit FloatInner(const std::string& instructions)
      : instructions_(instructions),
        passes_(float_passes(instructions)),
        add_rows_(passes<float>(instructions).add_rows) {}

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
  void mark(std::size_t at) {
    constexpr float infinite = std::numeric_limits<float>::infinity();
    up_[at] = beta_[at] < upper_[at] ? 0 : infinite;
    low_[at] = beta_[at] > lower_[at] ? 0 : -infinite;
  }
  // Newton's steps among all variables between their bounds (face.hpp). False where they do not
  // make the objective smaller: nothing has changed then.
  bool descend_on_faces();
  bool descend_on_face(const std::vector<std::uint32_t>& free, bool& whole);
  [[nodiscard]] std::size_t moves_like_a_face() const;
  [[nodiscard]] std::vector<std::uint32_t> between_bounds() const;

  std::string instructions_;
  const FloatPasses& passes_;
  decltype(Passes<float>::add_rows) add_rows_;
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
