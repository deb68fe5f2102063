#include "learn/eigenpro.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "base/random.hpp"
#include "learn/lanczos.hpp"
#include "numeric/eigen.hpp"

namespace mercer::learn {

using numeric::How;
using numeric::Part;
using numeric::View;

EigenPro::EigenPro(const Gram& K, std::span<const std::size_t> among, std::size_t sample,
                   std::size_t q, std::uint64_t seed, unsigned threads)
    : threads_(threads) {
  RandomNumbers random(seed);
  const auto chosen = random.sample(among.size(), sample);
  const std::size_t m = chosen.size();
  for (const std::size_t i : chosen) sample_.push_back(among[i]);
  Aligned<double> square(m * m);
  K.block(sample_, sample_, square.data(), m);
  const numeric::Eigen e = numeric::eigen(square.data(), m, How{threads, {}});

  // Only directions that are there beyond rounding; the first one not taken is what the others
  // become.
  const double largest = m == 0 ? 0 : e.values[m - 1];
  std::size_t count = 0;
  while (count < q && count + 1 < m && e.values[m - 2 - count] > 1e-6 * largest) ++count;
  vectors_ = Aligned<double>(count * m);
  for (std::size_t i = 0; i < count; ++i) {
    const double sigma = e.values[m - 1 - i];
    scales_.push_back((1 - e.values[m - 1 - count] / sigma) / sigma);
    std::copy_n(e.vectors.data() + (m - 1 - i) * m, m, vectors_.data() + i * m);
  }

  constexpr std::size_t most_others = 3000;
  std::vector<std::size_t> rest;
  std::ranges::set_difference(among, sample_, std::back_inserter(rest));
  std::vector<std::size_t> others;
  for (const std::size_t i : random.sample(rest.size(), most_others)) others.push_back(rest[i]);
  if (others.size() < std::min(most_others, among.size()) / 4) others = sample_;
  estimate(K, others, among.size());
}

void EigenPro::estimate(const Gram& K, std::span<const std::size_t> others, std::size_t n) {
  const std::size_t size = others.size();
  const std::size_t m = sample_.size();
  const std::size_t q = scales_.size();
  const How how{threads_, {}};
  Aligned<double> left(size * size);
  K.block(others, others, left.data(), size);
  if (q > 0) {
    // K(others,s) Uᵀ D^½, whose rows' products are taken off.
    Aligned<double> to_sample(size * m);
    K.block(others, sample_, to_sample.data(), m);
    Aligned<double> projected(size * q);
    std::fill_n(projected.data(), projected.size(), 0.0);
    numeric::multiply_add(View<double>{to_sample.data(), size, m, m, 1},
                          View<double>{vectors_.data(), q, m, m, 1}.transposed(), 1.0,
                          projected.data(), q, Part::all, how);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < q; ++j)
        projected[i * q + j] *= std::sqrt(std::max(scales_[j], 0.0));
    const View<double> P{projected.data(), size, q, q, 1};
    numeric::multiply_add(P, P.transposed(), -1.0, left.data(), size, Part::all, how);
  }
  for (std::size_t i = 0; i < size; ++i) diagonal_ = std::max(diagonal_, left[i * size + i]);
  const auto found = largest_eigenvalue(size, [&](std::span<const double> v, std::span<double> to) {
    std::ranges::fill(to, 0.0);
    numeric::multiply_add(View<double>{left.data(), size, size, size, 1},
                          View<double>{v.data(), size, 1, 1, 1}, 1.0, to.data(), 1, Part::all, how);
  });
  lambda_ = (found.value + found.error) * static_cast<double>(n) / static_cast<double>(size);
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
