#include "numeric/product.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/aligned.hpp"
#include "base/parallel.hpp"
#include "base/tiny.hpp"

namespace mercer::numeric {

namespace {

// c += sign A b, for one column: packing A would take several times as long as the product, which
// is that of reading A once.
template <class T>
void multiply_add_vector(const View<T>& A, const View<T>& B, T sign, T* c, std::size_t stride) {
  std::vector<T> b(A.columns);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = sign * B.data[k * B.row];
  constexpr std::size_t ways = 8;
  if (A.column == 1) {  // row by row
    for (std::size_t i = 0; i < A.rows; ++i) {
      const T* row = A.data + i * A.row;
      std::array<T, ways> sums{};
      std::size_t k = 0;
      for (; k + ways <= b.size(); k += ways)
        for (std::size_t w = 0; w < ways; ++w) sums[w] += row[k + w] * b[k + w];
      for (; k < b.size(); ++k) sums[k % ways] += row[k] * b[k];
      T sum = 0;
      for (const T v : sums) sum += v;
      c[i * stride] += sum;
    }
    return;
  }
  std::vector<T> sums(A.rows);
  for (std::size_t k = 0; k < b.size(); ++k) {
    const T* column = A.data + k * A.column;
    for (std::size_t i = 0; i < A.rows; ++i) sums[i] += column[i * A.row] * b[k];
  }
  for (std::size_t i = 0; i < A.rows; ++i) c[i * stride] += sums[i];
}

// C += sign A B for few columns: A is read where it is, by strips of rows.
template <class T>
void multiply_add_few(const Micro<T>& use, const View<T>& A, const View<T>& B, T sign, T* C,
                      std::size_t stride, unsigned threads) {
  constexpr std::size_t depth = 256;
  constexpr std::size_t together = 16;
  const std::size_t strips = (A.rows + use.rows - 1) / use.rows;
  for (std::size_t k = 0; k < A.columns; k += depth) {
    const std::size_t now = std::min(depth, A.columns - k);
    Packed<T> b(B.columns, now, use.columns);
    pack(B.part(k, 0, now, B.columns).transposed(), 1, b);
    parallel_for((strips + together - 1) / together, threads, [&](std::size_t task) {
      Aligned<T> some(use.rows * now);
      Aligned<T> sums(use.rows * use.columns);
      for (std::size_t s = task * together; s < std::min(strips, (task + 1) * together); ++s) {
        const std::size_t i = s * use.rows;
        const std::size_t there = std::min(use.rows, A.rows - i);
        const bool whole = there == use.rows;
        if (!whole) pack_strip(A.part(0, k, A.rows, now), i, use.rows, some.data());
        for (std::size_t j = 0; j < B.columns; j += use.columns) {
          const T* from = b.strip(j / use.columns);
          std::fill_n(sums.data(), sums.size(), T(0));
          if (whole) {
            use.multiply_here(
                now, A.data + i * A.row + k * A.column, static_cast<std::ptrdiff_t>(A.row),
                static_cast<std::ptrdiff_t>(A.column), from, sign, sums.data(), use.columns);
          } else {
            use.multiply(now, some.data(), from, sign, sums.data(), use.columns);
          }
          const std::size_t end = std::min(B.columns - j, use.columns);
          for (std::size_t r = 0; r < there; ++r)
            for (std::size_t c = 0; c < end; ++c)
              C[(i + r) * stride + j + c] += sums[r * use.columns + c];
        }
      }
    });
  }
}

}  // namespace

template <class T>
void multiply_add(const View<T>& A, const View<T>& B, T sign, T* C, std::size_t stride, Part part,
                  const How& how) {
  const TinyIsZero tiny_is_zero;
  if (B.columns == 1 && part == Part::all) return multiply_add_vector(A, B, sign, C, stride);
  const Micro<T>& use = micro<T>(how.instructions);
  constexpr std::size_t few = 16;
  if (B.columns <= few && part == Part::all)
    return multiply_add_few(use, A, B, sign, C, stride, how.threads);
  constexpr std::size_t depth = 256;
  for (std::size_t k = 0; k < A.columns; k += depth) {
    const std::size_t now = std::min(depth, A.columns - k);
    Packed<T> a(A.rows, now, use.rows);
    Packed<T> b(B.columns, now, use.columns);
    pack(A.part(0, k, A.rows, now), how.threads, a);
    pack(B.part(k, 0, now, B.columns).transposed(), how.threads, b);
    multiply_packed(use, a, b, sign, C, A.rows, B.columns, stride, part, how.threads);
  }
}

void multiply_add(const View<float>& A, const View<float>& B, double* C, std::size_t stride,
                  const How& how, double unit) {
  const TinyIsZero tiny_is_zero;
  const Micro<float>& use = micro<float>(how.instructions);
  constexpr std::size_t depth = 256;
  constexpr std::size_t together = 2 * depth;
  constexpr std::size_t tile_columns = 512;
  const std::size_t tile_rows = 24 * use.rows;
  for (std::size_t k = 0; k < A.columns; k += together) {
    std::vector<Packed<float>> a;
    std::vector<Packed<float>> b;
    for (std::size_t i = k; i < std::min(A.columns, k + together); i += depth) {
      const std::size_t now = std::min(depth, A.columns - i);
      pack(A.part(0, i, A.rows, now), how.threads, a.emplace_back(A.rows, now, use.rows));
      pack(B.part(i, 0, now, B.columns).transposed(), how.threads,
           b.emplace_back(B.columns, now, use.columns));
    }
    const std::size_t across = (B.columns + tile_columns - 1) / tile_columns;
    const std::size_t down = (A.rows + tile_rows - 1) / tile_rows;
    parallel_for(down * across, how.threads, [&](std::size_t task) {
      const std::size_t row = task / across * tile_rows;
      const std::size_t column = task % across * tile_columns;
      const std::size_t end_row = std::min(A.rows, row + tile_rows);
      const std::size_t end_column = std::min(B.columns, column + tile_columns);
      Aligned<float> sums(tile_rows * tile_columns);
      std::fill_n(sums.data(), sums.size(), 0.0F);
      const auto multiply = [&](const Packed<float>& left, const Packed<float>& right,
                                std::size_t from, std::size_t now) {
        for (std::size_t j = column; j < end_column; j += use.columns)
          for (std::size_t i = row; i < end_row; i += use.rows)
            use.multiply(now, left.strip(i / use.rows) + from * use.rows,
                         right.strip(j / use.columns) + from * use.columns, 1.0F,
                         sums.data() + (i - row) * tile_columns + (j - column), tile_columns);
      };
      const std::size_t slice = near_depth(use);
      for (std::size_t p = 0; p < a.size(); ++p)
        for (std::size_t from = 0; from < a[p].depth; from += slice)
          multiply(a[p], b[p], from, std::min(slice, a[p].depth - from));
      for (std::size_t i = row; i < end_row; ++i) {
        const float* from = sums.data() + (i - row) * tile_columns;
        double* to = C + i * stride + column;
        use.add_rounded(end_column - column, from, unit, to);
      }
    });
  }
}

template void multiply_add<float>(const View<float>&, const View<float>&, float, float*,
                                  std::size_t, Part, const How&);
template void multiply_add<double>(const View<double>&, const View<double>&, double, double*,
                                   std::size_t, Part, const How&);

}  // namespace mercer::numeric
