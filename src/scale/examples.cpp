#include "scale/examples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mercer::scale {

std::size_t block_rows(std::size_t n, double numbers_per_row) {
  constexpr std::size_t least = 4096;
  constexpr std::size_t most = 65536;
  constexpr double numbers = 1 << 24U;  // of a block: 64 MB of floats
  const auto by_size = static_cast<std::size_t>(numbers / std::max(numbers_per_row, 1.0));
  // Enough blocks for some ranks, but none too small; and of very wide rows fewer.
  const std::size_t rows = std::min(std::max(n / 16, least), by_size);
  return std::bit_floor(std::clamp(rows, std::size_t{256}, most));
}

Share share_of(std::size_t n, std::size_t block, std::size_t rank, std::size_t ranks) {
  const std::size_t blocks = (n + block - 1) / block;
  const auto at = [&](std::size_t r) { return std::min(n, blocks * r / ranks * block); };
  return {at(rank), at(rank + 1)};
}

}  // namespace mercer::scale
