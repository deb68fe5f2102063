// A preconditioner for K + λI where K is too large to be stored: what a sample of the points
// explains of it.
//
// With landmarks S and K_SS = L Lᵀ, K is near to Φ Φᵀ, Φ = K_nS L⁻ᵀ, and
//     (Φ Φᵀ + λI)⁻¹ r = (r - Φ (ΦᵀΦ + λI)⁻¹ Φᵀ r) / λ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/gram.hpp>
#include <span>
#include <vector>

#include "base/aligned.hpp"

namespace mercer::learn {

class NystromPreconditioner {
 public:
  // Rows of K are scaled by `scales` on both sides (empty: by 1).
  NystromPreconditioner(const Gram& K, std::span<const double> scales, double lambda,
                        std::size_t landmarks, std::uint64_t seed, unsigned threads);

  [[nodiscard]] std::size_t landmarks() const { return landmarks_; }
  // r (n × width) becomes its approximate solution.
  void solve(std::span<double> r, std::size_t width) const;

 private:
  std::size_t n_ = 0;
  std::size_t landmarks_ = 0;
  double lambda_ = 1;
  unsigned threads_ = 0;
  Aligned<float> phi_;     // n × landmarks
  Aligned<double> inner_;  // the factor of ΦᵀΦ + λI
};

}  // namespace mercer::learn
