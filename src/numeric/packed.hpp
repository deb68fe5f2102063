// Matrices in the order in which the innermost loops read them (see micro.hpp), and products of
// packed ones, in tiles small enough for the caches.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned.hpp"
#include "numeric/micro.hpp"

namespace mercer::numeric {

// A matrix in someone's memory: entry (i, j) at data[i*row + j*column]. A transposed one has the
// two steps swapped.
template <class T>
struct View {
  const T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row = 0;
  std::size_t column = 1;

  [[nodiscard]] View transposed() const { return {data, columns, rows, column, row}; }
  [[nodiscard]] View part(std::size_t i, std::size_t j, std::size_t m, std::size_t n) const {
    return {data + i * row + j * column, m, n, row, column};
  }
};

// A m × depth as strips of `width` rows; the last is filled with zeros. A panel of B is a strip of
// its transpose.
template <class T>
struct Packed {
  std::size_t depth = 0;
  std::size_t width = 0;
  Aligned<T> values;

  Packed() = default;
  Packed(std::size_t rows, std::size_t columns, std::size_t strip_rows)
      : depth(columns),
        width(strip_rows),
        values((rows + strip_rows - 1) / strip_rows * strip_rows * columns) {}
  [[nodiscard]] T* strip(std::size_t s) { return values.data() + s * width * depth; }
  [[nodiscard]] const T* strip(std::size_t s) const { return values.data() + s * width * depth; }
};

// Rows [begin, begin + width) of A, zeros beyond its last.
template <class T>
void pack_strip(const View<T>& A, std::size_t begin, std::size_t width, T* to) {
  const std::size_t there = std::min(width, A.rows - begin);
  const T* from = A.data + begin * A.row;
  for (std::size_t k = 0; k < A.columns; ++k, from += A.column, to += width) {
    if (A.row == 1) {
      std::copy_n(from, there, to);
    } else {
      for (std::size_t r = 0; r < there; ++r) to[r] = from[r * A.row];
    }
    std::fill(to + there, to + width, T(0));
  }
}

// So deep that this much of a panel of B stays in the first cache while strips of A pass by.
template <class T>
std::size_t near_depth(const Micro<T>& micro) {
  constexpr std::size_t bytes = std::size_t{1} << 15U;
  return bytes / (micro.columns * sizeof(T));
}

template <class T>
void pack(const View<T>& A, unsigned threads, Packed<T>& to);

enum class Part {
  all,
  lower,  // entries on and below the diagonal, and what shares a micro-tile with them
  upper,  // entries on and above it, likewise
};

// C += sign A Bᵀ, C of m × n with `stride` numbers from row to row; A in strips of micro.rows, B in
// strips of micro.columns. An entry is summed in the order of k whatever the number of threads.
template <class T>
void multiply_packed(const Micro<T>& micro, const Packed<T>& A, const Packed<T>& B, T sign, T* C,
                     std::size_t m, std::size_t n, std::size_t stride, Part part, unsigned threads);

}  // namespace mercer::numeric
