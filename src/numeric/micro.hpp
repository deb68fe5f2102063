// The innermost loops of dense linear algebra, for each instruction set of this machine.
//
// Matrices are packed for them: a *strip* of `rows` rows of A holds for each k its `rows` numbers
// next to each other, a *panel* of `columns` columns of B for each k its `columns` numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mercer::numeric {

// The multiple of `unit`, a power of 2, that is next to a value of less than 2^51 of them; with 0
// the value itself.
inline constexpr double all_digits = 6755399441055744.0;  // 1.5 · 2^52: its last bit is 1
inline double rounded_to(double unit, double value) {
  const double whole = all_digits * unit;
  return (value + whole) - whole;
}

template <class T>
struct Micro {
  std::string name;         // "AVX2"
  std::size_t rows = 0;     // of a strip
  std::size_t columns = 0;  // of a panel
  // c[r*stride + j] += sign * Σ_k a[k*rows + r] * b[k*columns + j] for k < depth; sign is 1 or -1.
  void (*multiply)(std::size_t depth, const T* a, const T* b, T sign, T* c,
                   std::size_t stride) = nullptr;
  // The same with a where it is, a[r*row + k*column]: for so few columns that packing would take
  // longer.
  void (*multiply_here)(std::size_t depth, const T* a, std::ptrdiff_t row, std::ptrdiff_t column,
                        const T* b, T sign, T* c, std::size_t stride) = nullptr;
  // x ← L⁻¹ x for a lower triangular L of `rows` rows, row by row with `rows` each, its diagonal
  // inverted; x has `rows` rows of `columns` numbers.
  void (*solve)(const T* L, T* x) = nullptr;
  // to[j] += from[j], rounded to a multiple of `unit` as above.
  void (*add_rounded)(std::size_t n, const T* from, double unit, double* to) = nullptr;
  // y += x a, and returns a·v: one reading of a row for a product with a symmetric matrix.
  T (*dot_and_add)(std::size_t n, const T* a, const T* v, T x, T* y) = nullptr;
};

// All that this machine can run, the widest first.
template <class T>
const std::vector<Micro<T>>& micros();
template <>
const std::vector<Micro<float>>& micros<float>();
template <>
const std::vector<Micro<double>>& micros<double>();

// The one in use (see base/instructions.hpp), or the one of that name.
template <class T>
const Micro<T>& micro(const std::string& name = {});

}  // namespace mercer::numeric
