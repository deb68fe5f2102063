#include "numeric/cholesky.hpp"

#include <cmath>

#include "base/parallel.hpp"
#include "base/tiny.hpp"

namespace mercer::numeric {

namespace {

constexpr std::size_t block = 256;
constexpr std::size_t small_block = 48;

template <class T>
std::size_t factor_small(T* A, std::size_t n, std::size_t stride) {
  for (std::size_t j = 0; j < n; ++j) {
    T* row = A + j * stride;
    T pivot = row[j];
    for (std::size_t k = 0; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return j;
    row[j] = std::sqrt(pivot);
    const T inverse = 1 / row[j];
    for (std::size_t i = j + 1; i < n; ++i) {
      T* other = A + i * stride;
      T value = other[j];
      for (std::size_t k = 0; k < j; ++k) value -= other[k] * row[k];
      other[j] = value * inverse;
    }
  }
  return n;
}

// L (n × n) in strips, and the triangles on its diagonal with inverted diagonals, for solving with
// panels of right-hand sides.
template <class T>
class Triangle {
 public:
  Triangle(const Micro<T>& micro, const T* L, std::size_t n, std::size_t stride)
      : micro_(micro), n_(n), strips_(n, n, micro.rows) {
    const std::size_t rows = micro.rows;
    triangles_ = Aligned<T>((n + rows - 1) / rows * rows * rows);
    for (std::size_t i = 0, s = 0; i < n; i += rows, ++s) {
      pack_strip(View<T>{L, n, n, stride, 1}, i, rows, strips_.strip(s));
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < rows; ++c) {
          T& to = triangles_[(s * rows + r) * rows + c];
          const bool there = i + r < n && i + c < n;
          to = !there   ? T(r == c)
               : r == c ? 1 / L[(i + r) * stride + i + r]
                        : L[(i + r) * stride + i + c];
        }
    }
  }

  // Rows that a panel must have room for: those of L, up to full strips.
  [[nodiscard]] std::size_t room() const {
    return (n_ + micro_.rows - 1) / micro_.rows * micro_.rows;
  }

  // panel ← L⁻¹ panel.
  void solve(T* panel) const {
    for (std::size_t i = 0, s = 0; i < n_; i += micro_.rows, ++s) {
      T* x = panel + i * micro_.columns;
      if (i > 0) micro_.multiply(i, strips_.strip(s), panel, T(-1), x, micro_.columns);
      micro_.solve(triangles_.data() + s * micro_.rows * micro_.rows, x);
    }
  }

 private:
  const Micro<T>& micro_;
  std::size_t n_;
  Packed<T> strips_;
  Aligned<T> triangles_;
};

// Rows below a factored diagonal block: A ← A L⁻ᵀ, row by row, so that Aᵀ ← L⁻¹ Aᵀ. They come out
// packed as well: in panels and in strips.
template <class T>
void solve_rows(const Micro<T>& micro, const Triangle<T>& L, T* A, std::size_t m, std::size_t depth,
                std::size_t stride, unsigned threads, Packed<T>& panels) {
  const std::size_t width = micro.columns;
  parallel_for((m + width - 1) / width, threads, [&](std::size_t p) {
    Aligned<T> panel(L.room() * width);
    pack_strip(View<T>{A, m, depth, stride, 1}, p * width, width, panel.data());
    std::fill_n(panel.data() + depth * width, (L.room() - depth) * width, T(0));
    L.solve(panel.data());
    std::copy_n(panel.data(), depth * width, panels.strip(p));
    for (std::size_t r = p * width; r < std::min(m, (p + 1) * width); ++r)
      for (std::size_t k = 0; k < depth; ++k) A[r * stride + k] = panel[k * width + r - p * width];
  });
}

template <class T>
std::size_t factor(const Micro<T>& micro, T* A, std::size_t n, std::size_t stride,
                   std::size_t width, unsigned threads) {
  if (n <= small_block) return factor_small(A, n, stride);
  for (std::size_t j = 0; j < n; j += width) {
    const std::size_t now = std::min(width, n - j);
    T* corner = A + j * stride + j;
    const std::size_t good = factor(micro, corner, now, stride, small_block, 1);
    if (good < now) return j + good;
    const std::size_t rest = n - j - now;
    if (rest == 0) break;
    T* below = corner + now * stride;
    Packed<T> panels(rest, now, micro.columns);
    solve_rows(micro, Triangle<T>(micro, corner, now, stride), below, rest, now, stride, threads,
               panels);
    Packed<T> strips(rest, now, micro.rows);
    pack(View<T>{below, rest, now, stride, 1}, threads, strips);
    multiply_packed(micro, strips, panels, T(-1), below + now, rest, rest, stride, Part::lower,
                    threads);
  }
  return n;
}

// B ← T⁻¹ B for few columns: T, entry (i, k) at L[i*row + k*column], is read where it is. An upper
// triangle, read from its last row and column, is a lower one.
template <class T>
void solve_few(const Micro<T>& micro, const T* L, std::size_t n, std::ptrdiff_t row,
               std::ptrdiff_t column, T* B, std::size_t m, std::ptrdiff_t B_row) {
  const std::size_t rows = micro.rows;
  const std::size_t width = micro.columns;
  const auto at = [&](std::size_t i, std::size_t k) {
    return L + static_cast<std::ptrdiff_t>(i) * row + static_cast<std::ptrdiff_t>(k) * column;
  };
  const std::size_t room = (n + rows - 1) / rows * rows;
  Aligned<T> panel(room * width);
  Aligned<T> triangle(rows * rows);
  Aligned<T> strip(rows * n);
  for (std::size_t first = 0; first < m; first += width) {
    const std::size_t now = std::min(width, m - first);
    const auto line = [&](std::size_t i) {
      return B + static_cast<std::ptrdiff_t>(i) * B_row + first;
    };
    std::fill_n(panel.data(), panel.size(), T(0));
    for (std::size_t i = 0; i < n; ++i) std::copy_n(line(i), now, panel.data() + i * width);
    for (std::size_t i = 0; i < n; i += rows) {
      const std::size_t there = std::min(rows, n - i);
      T* x = panel.data() + i * width;
      if (i > 0 && there == rows) {
        micro.multiply_here(i, at(i, 0), row, column, panel.data(), T(-1), x, width);
      } else if (i > 0) {
        for (std::size_t k = 0; k < i; ++k)
          for (std::size_t r = 0; r < rows; ++r)
            strip[k * rows + r] = r < there ? *at(i + r, k) : T(0);
        micro.multiply(i, strip.data(), panel.data(), T(-1), x, width);
      }
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < rows; ++c)
          triangle[r * rows + c] = r >= there || c >= there ? T(r == c)
                                   : r == c                 ? 1 / *at(i + r, i + r)
                                   : c < r                  ? *at(i + r, i + c)
                                                            : T(0);
      micro.solve(triangle.data(), x);
    }
    for (std::size_t i = 0; i < n; ++i) std::copy_n(panel.data() + i * width, now, line(i));
  }
}

constexpr std::size_t few = 16;

// B ← T⁻¹ B for a triangle T given by a view, lower or, going backwards, upper.
template <class T>
void solve_block(const Micro<T>& micro, const T* L, std::size_t n, std::size_t row,
                 std::size_t column, T* B, std::size_t m, std::size_t B_stride, unsigned threads) {
  if (m == 1) {  // there is nothing to pack for
    for (std::size_t i = 0; i < n; ++i) {
      T value = B[i * B_stride];
      for (std::size_t k = 0; k < i; ++k) value -= L[i * row + k * column] * B[k * B_stride];
      B[i * B_stride] = value / L[i * row + i * column];
    }
    return;
  }
  // An upper triangle, read from its last row and column, is a lower one.
  Aligned<T> square(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) square[i * n + k] = L[i * row + k * column];
  const Triangle<T> triangle(micro, square.data(), n, n);
  const std::size_t width = micro.columns;
  parallel_for((m + width - 1) / width, threads, [&](std::size_t p) {
    Aligned<T> panel(triangle.room() * width);
    std::fill_n(panel.data(), panel.size(), T(0));
    const std::size_t end = std::min(m, (p + 1) * width);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = p * width; c < end; ++c)
        panel[i * width + c - p * width] = B[i * B_stride + c];
    triangle.solve(panel.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = p * width; c < end; ++c)
        B[i * B_stride + c] = panel[i * width + c - p * width];
  });
}

}  // namespace

template <class T>
std::size_t cholesky(T* A, std::size_t n, std::size_t stride, const How& how) {
  const TinyIsZero tiny_is_zero;
  return factor(micro<T>(how.instructions), A, n, stride, n > 3 * block ? block : small_block,
                how.threads);
}

template <class T>
void solve_lower(const T* L, std::size_t n, std::size_t stride, T* B, std::size_t m,
                 std::size_t B_stride, const How& how) {
  const TinyIsZero tiny_is_zero;
  const Micro<T>& use = micro<T>(how.instructions);
  for (std::size_t j = 0; j < n; j += block) {
    const std::size_t now = std::min(block, n - j);
    if (m > 1 && m <= few) {
      solve_few(use, L + j * stride + j, now, static_cast<std::ptrdiff_t>(stride), 1,
                B + j * B_stride, m, static_cast<std::ptrdiff_t>(B_stride));
    } else {
      solve_block(use, L + j * stride + j, now, stride, 1, B + j * B_stride, m, B_stride,
                  how.threads);
    }
    const std::size_t rest = n - j - now;
    if (rest > 0)
      multiply_add(View<T>{L + (j + now) * stride + j, rest, now, stride, 1},
                   View<T>{B + j * B_stride, now, m, B_stride, 1}, T(-1), B + (j + now) * B_stride,
                   B_stride, Part::all, how);
  }
}

template <class T>
void solve_upper(const T* L, std::size_t n, std::size_t stride, T* B, std::size_t m,
                 std::size_t B_stride, const How& how) {
  const TinyIsZero tiny_is_zero;
  const Micro<T>& use = micro<T>(how.instructions);
  for (std::size_t end = n; end > 0;) {
    const std::size_t now = (end - 1) % block + 1;
    const std::size_t j = end - now;
    if (m > 1 && m <= few) {
      const std::size_t last = end - 1;
      solve_few(use, L + last * stride + last, now, std::ptrdiff_t{-1},
                -static_cast<std::ptrdiff_t>(stride), B + last * B_stride, m,
                -static_cast<std::ptrdiff_t>(B_stride));
    } else {
      // Lᵀ of the block, from its last row to its first.
      Aligned<T> turned(now * now);
      for (std::size_t i = 0; i < now; ++i)
        for (std::size_t k = 0; k < now; ++k)
          turned[i * now + k] = L[(j + now - 1 - k) * stride + (j + now - 1 - i)];
      Aligned<T> values(now * m);
      for (std::size_t i = 0; i < now; ++i)
        std::copy_n(B + (j + now - 1 - i) * B_stride, m, values.data() + i * m);
      solve_block(use, turned.data(), now, now, 1, values.data(), m, m, how.threads);
      for (std::size_t i = 0; i < now; ++i)
        std::copy_n(values.data() + i * m, m, B + (j + now - 1 - i) * B_stride);
    }
    if (j > 0)
      multiply_add(View<T>{L + j * stride, now, j, stride, 1}.transposed(),
                   View<T>{B + j * B_stride, now, m, B_stride, 1}, T(-1), B, B_stride, Part::all,
                   how);
    end = j;
  }
}

template <class T>
void solve_cholesky(const T* L, std::size_t n, std::size_t stride, T* B, std::size_t m,
                    std::size_t B_stride, const How& how) {
  solve_lower(L, n, stride, B, m, B_stride, how);
  solve_upper(L, n, stride, B, m, B_stride, how);
}

template std::size_t cholesky<float>(float*, std::size_t, std::size_t, const How&);
template std::size_t cholesky<double>(double*, std::size_t, std::size_t, const How&);
template void solve_lower<float>(const float*, std::size_t, std::size_t, float*, std::size_t,
                                 std::size_t, const How&);
template void solve_lower<double>(const double*, std::size_t, std::size_t, double*, std::size_t,
                                  std::size_t, const How&);
template void solve_upper<float>(const float*, std::size_t, std::size_t, float*, std::size_t,
                                 std::size_t, const How&);
template void solve_upper<double>(const double*, std::size_t, std::size_t, double*, std::size_t,
                                  std::size_t, const How&);
template void solve_cholesky<float>(const float*, std::size_t, std::size_t, float*, std::size_t,
                                    std::size_t, const How&);
template void solve_cholesky<double>(const double*, std::size_t, std::size_t, double*, std::size_t,
                                     std::size_t, const How&);

}  // namespace mercer::numeric
