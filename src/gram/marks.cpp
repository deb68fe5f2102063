#include "gram/marks.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "base/parallel.hpp"

namespace mercer::gram {

namespace {

constexpr std::size_t word_bits = 64;
constexpr std::size_t key_bits = 16;

// Of some rows here and there: how many have a number that is not zero, in each column.
template <class T>
std::vector<std::size_t> counts(const T* values, std::size_t rows, std::size_t length,
                                std::size_t& sampled) {
  constexpr std::size_t enough = 256;
  const std::size_t step = rows / enough + 1;
  std::vector<std::size_t> counts(length);
  sampled = 0;
  for (std::size_t i = 0; i < rows; i += step, ++sampled)
    for (std::size_t k = 0; k < length; ++k) counts[k] += values[i * length + k] != 0 ? 1 : 0;
  return counts;
}

// Columns that tell rows apart: each halves as well as it can what those before it left together
// of a few rows, a bit for each.
template <class T>
std::vector<std::size_t> halving_columns(const T* values, std::size_t rows, std::size_t length) {
  const std::size_t few = std::min(rows, word_bits);
  std::vector<std::uint64_t> columns(length);
  for (std::size_t i = 0; i < few; ++i)
    for (std::size_t k = 0; k < length; ++k)
      if (values[i * rows / few * length + k] != 0) columns[k] |= std::uint64_t{1} << i;
  std::vector<std::uint64_t> together{few == word_bits ? ~std::uint64_t{0}
                                                       : (std::uint64_t{1} << few) - 1};
  std::vector<std::size_t> chosen;
  while (chosen.size() < key_bits) {
    // How uneven the halves are.
    const auto uneven = [&](std::uint64_t column) {
      int total = 0;
      for (const std::uint64_t cell : together)
        total += std::abs(2 * std::popcount(column & cell) - std::popcount(cell));
      return total;
    };
    const auto best = std::ranges::min_element(columns, {}, uneven);
    if (uneven(*best) == uneven(0)) break;  // no column halves anything
    chosen.push_back(static_cast<std::size_t>(best - columns.begin()));
    std::vector<std::uint64_t> halves;
    for (const std::uint64_t cell : together)
      for (const std::uint64_t half : {cell & *best, cell & ~*best})
        if (std::popcount(half) > 1) halves.push_back(half);
    together = std::move(halves);
  }
  return chosen;
}

}  // namespace

template <class T>
Marks::Marks(const T* values, std::size_t rows, std::size_t length, unsigned threads) {
  // One list for several points, and a look at it, are worth a few coordinates.
  constexpr std::size_t fewest_columns = 6;
  constexpr double fewest_zeros = 0.15;
  if (rows == 0 || length < fewest_columns) return;
  std::size_t sampled = 0;
  const auto seen = counts(values, rows, length, sampled);
  const double share = static_cast<double>(std::accumulate(seen.begin(), seen.end(), 0UL)) /
                       static_cast<double>(sampled * length);
  if (share > 1 - fewest_zeros) return;

  // After those, columns that are zero about as often as not tell most.
  std::vector<std::size_t> columns = halving_columns(values, rows, length);
  std::vector<std::size_t> others(length);
  std::iota(others.begin(), others.end(), 0UL);
  std::erase_if(others, [&](std::size_t k) { return std::ranges::count(columns, k) > 0; });
  std::ranges::stable_sort(others, {}, [&](std::size_t k) {
    return 2 * seen[k] > sampled ? 2 * seen[k] - sampled : sampled - 2 * seen[k];
  });
  others.resize(std::min(others.size(), key_bits - columns.size()));
  columns.insert(columns.end(), others.begin(), others.end());

  words_ = (length + word_bits - 1) / word_bits;
  bits_.resize(rows * words_);
  keys_.resize(rows);
  constexpr std::size_t per_task = 1024;
  parallel_for((rows + per_task - 1) / per_task, threads, [&](std::size_t task) {
    const std::size_t end = std::min(rows, (task + 1) * per_task);
    for (std::size_t i = task * per_task; i < end; ++i) {
      const T* from = values + i * length;
      std::uint64_t* to = bits_.data() + i * words_;
      for (std::size_t k = 0; k < length; k += word_bits) {
        std::uint64_t word = 0;
        const std::size_t now = std::min(word_bits, length - k);
        for (std::size_t j = 0; j < now; ++j)
          word |= static_cast<std::uint64_t>(from[k + j] != 0 ? 1 : 0) << j;
        *to++ = word;
      }
      std::uint32_t key = 0;
      for (const std::size_t k : columns) key = key << 1U | (from[k] != 0 ? 1U : 0U);
      keys_[i] = static_cast<std::uint16_t>(key);
    }
  });
}

Marks Marks::select(std::span<const std::size_t> rows) const {
  Marks chosen;
  if (empty()) return chosen;
  chosen.words_ = words_;
  chosen.bits_.reserve(rows.size() * words_);
  chosen.keys_.reserve(rows.size());
  for (const std::size_t i : rows) {
    chosen.bits_.insert(chosen.bits_.end(), row(i), row(i) + words_);
    chosen.keys_.push_back(keys_[i]);
  }
  return chosen;
}

std::vector<std::size_t> Marks::order() const {
  std::vector<std::size_t> begins((std::size_t{1} << key_bits) + 1);
  for (const std::uint16_t key : keys_) ++begins[key + std::size_t{1}];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::size_t> rows(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) rows[begins[keys_[i]]++] = i;
  return rows;
}

double Marks::looked_at(std::size_t length) const {
  constexpr std::size_t together = 6;
  const auto rows = order();
  CoordinateLists lists;
  lists.make(*this, rows, rows.size(), together, length, length);
  if (lists.empty()) return 1;
  const std::size_t groups = (rows.size() + together - 1) / together;
  return static_cast<double>(lists.size()) / static_cast<double>(groups * length);
}

std::size_t Marks::bytes() const {
  return bits_.size() * sizeof(std::uint64_t) + keys_.size() * sizeof(std::uint16_t);
}

void CoordinateLists::make(const Marks& marks, std::span<const std::size_t> rows, std::size_t count,
                           std::size_t together, std::size_t length, std::size_t slice) {
  constexpr double nearly_all = 0.9;
  together_ = together;
  slices_ = std::max<std::size_t>(1, (length + slice - 1) / slice);
  const std::size_t groups = (count + together - 1) / together;
  at_.clear();
  indices_.clear();
  begins_.clear();
  for (std::size_t g = 0; g < groups; ++g) {
    begins_.push_back(indices_.size());
    for (std::size_t w = 0; w < marks.words(); ++w) {
      if (w > 0 && w * word_bits % slice == 0) begins_.push_back(indices_.size());
      std::uint64_t bits = 0;
      for (std::size_t r = g * together; r < (g + 1) * together; ++r)
        bits |= marks.row(rows[std::min(r, rows.size() - 1)])[w];
      for (; bits != 0; bits &= bits - 1)
        indices_.push_back(static_cast<std::uint32_t>(
            w * word_bits + static_cast<std::size_t>(std::countr_zero(bits))));
    }
    begins_.push_back(indices_.size());
  }
  if (static_cast<double>(indices_.size()) > nearly_all * static_cast<double>(groups * length))
    return;
  at_.reserve(begins_.size());
  for (const std::size_t b : begins_) at_.push_back(indices_.data() + b);
}

template Marks::Marks(const float*, std::size_t, std::size_t, unsigned);
template Marks::Marks(const double*, std::size_t, std::size_t, unsigned);

}  // namespace mercer::gram
