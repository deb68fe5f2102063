#include "learn/nystrom.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "numeric/cholesky.hpp"

namespace mercer::learn {

using numeric::How;
using numeric::Part;
using numeric::View;

namespace {

constexpr std::size_t together = 4096;  // rows whose products are summed in floats

}  // namespace

NystromPreconditioner::NystromPreconditioner(const Gram& K, std::span<const double> scales,
                                             double lambda, std::size_t landmarks,
                                             std::uint64_t seed, unsigned threads)
    : n_(K.rows()), landmarks_(std::min(landmarks, K.rows())), lambda_(lambda), threads_(threads) {
  const How how{threads, {}};
  const auto sample = RandomNumbers(seed).sample(n_, landmarks_);
  const std::size_t m = landmarks_;
  const auto scale = [&](std::size_t i) { return scales.empty() ? 1.0 : scales[i]; };

  Aligned<double> square(m * m);
  K.block(sample, sample, square.data(), m);
  double trace = 0;
  for (std::size_t i = 0; i < m; ++i) trace += square[i * m + i];
  // Points that others nearly explain would make the factor fail: a little is added, and more
  // until it does not. The preconditioner need not be exact.
  Aligned<double> L(m * m);
  for (double jitter = 1e-7 * trace / static_cast<double>(m);; jitter *= 10) {
    std::copy_n(square.data(), m * m, L.data());
    for (std::size_t i = 0; i < m; ++i) L[i * m + i] += jitter;
    if (numeric::cholesky(L.data(), m, m, how) == m) break;
    if (jitter > trace) {  // no kernel at all: no help from it
      landmarks_ = 0;
      return;
    }
  }

  phi_ = Aligned<float>(n_ * m);
  inner_ = Aligned<double>(m * m);
  std::fill_n(inner_.data(), m * m, 0.0);
  std::vector<std::size_t> rows;
  Aligned<double> block(m * together);
  std::vector<float> product(m * m);
  for (std::size_t begin = 0; begin < n_; begin += together) {
    const std::size_t now = std::min(together, n_ - begin);
    rows.resize(now);
    std::iota(rows.begin(), rows.end(), begin);
    // Φᵀ = L⁻¹ K_Sn, a column for each point.
    K.block(sample, rows, block.data(), now);
    numeric::solve_lower(L.data(), m, m, block.data(), now, now, how);
    for (std::size_t r = 0; r < now; ++r)
      for (std::size_t j = 0; j < m; ++j)
        phi_[(begin + r) * m + j] = static_cast<float>(scale(begin + r) * block[j * now + r]);
    std::ranges::fill(product, 0.0F);
    const View<float> part{phi_.data() + begin * m, now, m, m, 1};
    numeric::multiply_add(part.transposed(), part, 1.0F, product.data(), m, Part::lower, how);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        inner_[i * m + j] += static_cast<double>(product[i * m + j]);
  }
  for (std::size_t i = 0; i < m; ++i) inner_[i * m + i] += lambda;
  if (numeric::cholesky(inner_.data(), m, m, how) != m) landmarks_ = 0;
}

void NystromPreconditioner::solve(std::span<double> r, std::size_t width) const {
  for (double& v : r) v /= lambda_;
  if (landmarks_ == 0) return;
  const How how{threads_, {}};
  const std::size_t m = landmarks_;
  std::vector<float> single(r.size());
  double largest = 0;
  for (const double v : r) largest = std::max(largest, std::abs(v));
  if (largest == 0) return;
  for (std::size_t i = 0; i < r.size(); ++i) single[i] = static_cast<float>(r[i] / largest);
  std::vector<double> inner(m * width);
  std::vector<float> part(m * width);
  for (std::size_t begin = 0; begin < n_; begin += together) {
    const std::size_t now = std::min(together, n_ - begin);
    std::ranges::fill(part, 0.0F);
    numeric::multiply_add(View<float>{phi_.data() + begin * m, now, m, m, 1}.transposed(),
                          View<float>{single.data() + begin * width, now, width, width, 1}, 1.0F,
                          part.data(), width, Part::all, how);
    for (std::size_t j = 0; j < inner.size(); ++j) inner[j] += static_cast<double>(part[j]);
  }
  numeric::solve_cholesky(inner_.data(), m, m, inner.data(), width, width, how);
  for (std::size_t j = 0; j < inner.size(); ++j) part[j] = static_cast<float>(inner[j]);
  std::ranges::fill(single, 0.0F);
  numeric::multiply_add(View<float>{phi_.data(), n_, m, m, 1},
                        View<float>{part.data(), m, width, width, 1}, 1.0F, single.data(), width,
                        Part::all, how);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= largest * static_cast<double>(single[i]);
}

}  // namespace mercer::learn
