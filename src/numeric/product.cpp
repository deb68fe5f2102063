#include "numeric/product.hpp"

#include <array>
#include <vector>

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

}  // namespace

template <class T>
void multiply_add(const View<T>& A, const View<T>& B, T sign, T* C, std::size_t stride, Part part,
                  const How& how) {
  if (B.columns == 1 && part == Part::all) return multiply_add_vector(A, B, sign, C, stride);
  const Micro<T>& use = micro<T>(how.instructions);
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

template void multiply_add<float>(const View<float>&, const View<float>&, float, float*,
                                  std::size_t, Part, const How&);
template void multiply_add<double>(const View<double>&, const View<double>&, double, double*,
                                   std::size_t, Part, const How&);

}  // namespace mercer::numeric
