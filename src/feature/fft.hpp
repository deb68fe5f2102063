// Discrete Fourier transforms of several sequences at once, side by side.
//
// Of length N = 2^a 3^b 5^c: Stockham's form, which needs no reordering, with a pass for each
// factor 4, 2, 3, 5. What is done to a number of one sequence is done to all, so that the innermost
// loop is over them.
#pragma once

#include <cstddef>
#include <vector>

namespace mercer::feature {

inline constexpr std::size_t fft_lanes = 4;

// The largest N <= n of that kind; the least N >= n.
std::size_t smooth_below(std::size_t n);
std::size_t smooth_above(std::size_t n);

class Fft {
 public:
  explicit Fft(std::size_t n);

  [[nodiscard]] std::size_t size() const { return n_; }
  // y_k = Σ_j x_j exp(-2πi jk/N), in place; re and im hold N times fft_lanes numbers, work twice
  // that. With re and im exchanged it is the inverse, times N.
  void transform(double* re, double* im, double* work) const;

 private:
  struct Pass {
    std::size_t radix;
    std::size_t rest;            // n / radix
    std::vector<double> cosine;  // of twiddles: rest × radix
    std::vector<double> sine;
  };
  std::size_t n_;
  std::vector<Pass> passes_;
};

}  // namespace mercer::feature
