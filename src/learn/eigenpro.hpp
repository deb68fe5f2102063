// The preconditioner of gradient descent: the leading eigenvectors of a sample flatten the
// spectrum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/gram.hpp>
#include <span>
#include <vector>

#include "base/aligned.hpp"

namespace mercer::learn {

// Of the sample's Gram matrix K_s = Σ σ_i u_i u_iᵀ: e_i = Σ_j u_ij φ(s_j) / √σ_i are orthonormal in
// feature space. A step -Σ_b g_b φ(x_b) becomes, preconditioned, the same with
//     + Σ_i (1 - σ_q/σ_i) e_i (e_i · Σ_b g_b φ(x_b)),
// which in coefficients of the sample is  + U D Uᵀ K(sample, batch) g,
// D_i = (1 - σ_q/σ_i) / σ_i.
class EigenPro {
 public:
  // From `sample` of the `among` examples (ascending), chosen by the seed; `q` < sample
  // eigenvectors.
  EigenPro(const Gram& K, std::span<const std::size_t> among, std::size_t sample, std::size_t q,
           std::uint64_t seed, unsigned threads);

  [[nodiscard]] const std::vector<std::size_t>& sample() const { return sample_; }
  [[nodiscard]] std::size_t eigenvectors() const { return scales_.size(); }
  // Of what is left, K - K(·,s) U D Uᵀ K(s,·): estimates of the largest eigenvalue on all examples,
  // and of the largest entry of the diagonal. They come from other examples than the sample, where
  // less is left than elsewhere.
  [[nodiscard]] double lambda() const { return lambda_; }
  [[nodiscard]] double diagonal() const { return diagonal_; }

  // to[j*width + c] = coefficients of the sample that a step with g (batch × width) adds.
  void correct(const Gram& K, std::span<const std::size_t> batch, std::span<const double> g,
               std::size_t width, std::span<double> to) const;

 private:
  void estimate(const Gram& K, std::span<const std::size_t> others, std::size_t n);

  std::vector<std::size_t> sample_;
  double lambda_ = 0;
  double diagonal_ = 0;
  std::vector<double> scales_;  // D
  Aligned<double> vectors_;     // U, a row for each eigenvector
  unsigned threads_;
};

}  // namespace mercer::learn
