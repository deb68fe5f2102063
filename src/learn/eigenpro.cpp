#include "learn/eigenpro.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "base/random.hpp"
#include "numeric/eigen.hpp"

namespace mercer::learn {

using numeric::How;
using numeric::Part;
using numeric::View;

EigenPro::EigenPro(const Gram& K, std::span<const std::size_t> among, std::size_t sample,
                   std::size_t q, std::uint64_t seed, unsigned threads)
    : threads_(threads) {
  std::vector<std::size_t> all(among.begin(), among.end());
  RandomNumbers random(seed);
  random.shuffle(all);
  const std::size_t m = std::min(sample, all.size());
  sample_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m));
  std::ranges::sort(sample_);
  Aligned<double> square(m * m);
  K.block(sample_, sample_, square.data(), m);
  std::vector<double> diagonal(m);
  for (std::size_t i = 0; i < m; ++i) diagonal[i] = square[i * m + i];
  const numeric::Eigen e = numeric::eigen(square.data(), m, How{threads, {}});

  // Only directions that are there beyond rounding; the last one taken is what the others become.
  const double largest = m == 0 ? 0 : e.values[m - 1];
  std::size_t count = 0;
  while (count < q && count + 1 < m && e.values[m - 2 - count] > 1e-6 * largest) ++count;
  if (count == 0) {
    sigma_q_ = std::max(largest, 0.0);
    diagonal_ = m == 0 ? 0 : *std::ranges::max_element(diagonal);
    return;
  }
  sigma_q_ = e.values[m - 1 - count];
  vectors_ = Aligned<double>(count * m);
  for (std::size_t i = 0; i < count; ++i) {
    const double sigma = e.values[m - 1 - i];
    scales_.push_back((1 - sigma_q_ / sigma) / sigma);
    std::copy_n(e.vectors.data() + (m - 1 - i) * m, m, vectors_.data() + i * m);
    // k(x,x) loses (1 - σ_q/σ) e(x)², and e(s_j) = √σ u_j.
    for (std::size_t j = 0; j < m; ++j)
      diagonal[j] -= (sigma - sigma_q_) * vectors_[i * m + j] * vectors_[i * m + j];
  }
  diagonal_ = *std::ranges::max_element(diagonal);
}

void EigenPro::correct(const Gram& K, std::span<const std::size_t> batch, std::span<const double> g,
                       std::size_t width, std::span<double> to) const {
  std::ranges::fill(to, 0.0);
  if (scales_.empty()) return;
  const std::size_t m = sample_.size();
  const std::size_t q = scales_.size();
  const How how{threads_, {}};
  std::vector<double> Kg(m * width);
  constexpr std::size_t together = 1024;
  Aligned<double> block(std::min(together, batch.size()) * m);
  for (std::size_t b = 0; b < batch.size(); b += together) {
    const std::size_t now = std::min(together, batch.size() - b);
    K.block(batch.subspan(b, now), sample_, block.data(), m);
    numeric::multiply_add(View<double>{block.data(), now, m, m, 1}.transposed(),
                          View<double>{g.data() + b * width, now, width, width, 1}, 1.0, Kg.data(),
                          width, Part::all, how);
  }
  std::vector<double> projected(q * width);
  const View<double> U{vectors_.data(), q, m, m, 1};
  numeric::multiply_add(U, View<double>{Kg.data(), m, width, width, 1}, 1.0, projected.data(),
                        width, Part::all, how);
  for (std::size_t i = 0; i < q; ++i)
    for (std::size_t c = 0; c < width; ++c) projected[i * width + c] *= scales_[i];
  numeric::multiply_add(U.transposed(), View<double>{projected.data(), q, width, width, 1}, 1.0,
                        to.data(), width, Part::all, how);
}

}  // namespace mercer::learn
