#include "numeric/packed.hpp"

#include <array>

#include "base/parallel.hpp"

namespace mercer::numeric {

namespace {

// A tile of C: its strips of A stay in the second cache while the panels of B pass by.
constexpr std::size_t tile_rows = 144;
constexpr std::size_t tile_columns = 512;
constexpr std::size_t most_rows = 8;
constexpr std::size_t most_columns = 64;

template <class T>
class Tile {
 public:
  Tile(const Micro<T>& micro, const Packed<T>& A, const Packed<T>& B, T sign, T* C, std::size_t m,
       std::size_t n, std::size_t stride, Part part)
      : micro_(micro),
        A_(A),
        B_(B),
        sign_(sign),
        C_(C),
        m_(m),
        n_(n),
        stride_(stride),
        part_(part) {}

  void run(std::size_t row, std::size_t column) const {
    const std::size_t end_row = std::min(m_, row + tile_rows);
    const std::size_t end_column = std::min(n_, column + tile_columns);
    const std::size_t slice = near_depth(micro_);
    for (std::size_t k = 0; k < A_.depth; k += slice)
      for (std::size_t j = column; j < end_column; j += micro_.columns)
        for (std::size_t i = row; i < end_row; i += micro_.rows)
          corner(i, j, k, std::min(slice, A_.depth - k));
  }

 private:
  void corner(std::size_t i, std::size_t j, std::size_t k, std::size_t depth) const {
    const std::size_t last_row = std::min(m_, i + micro_.rows) - 1;
    if (part_ == Part::lower && j > last_row) return;
    if (part_ == Part::upper && i >= j + micro_.columns) return;
    const T* a = A_.strip(i / micro_.rows) + k * micro_.rows;
    const T* b = B_.strip(j / micro_.columns) + k * micro_.columns;
    const bool whole = i + micro_.rows <= m_ && j + micro_.columns <= n_;
    if (whole) {
      micro_.multiply(depth, a, b, sign_, C_ + i * stride_ + j, stride_);
      return;
    }
    alignas(cache_line) std::array<T, most_rows * most_columns> rest{};
    micro_.multiply(depth, a, b, sign_, rest.data(), micro_.columns);
    for (std::size_t r = i; r <= last_row; ++r) {
      const std::size_t end = std::min(n_, j + micro_.columns);
      for (std::size_t c = j; c < end; ++c)
        C_[r * stride_ + c] += rest[(r - i) * micro_.columns + (c - j)];
    }
  }

  const Micro<T>& micro_;
  const Packed<T>& A_;
  const Packed<T>& B_;
  T sign_;
  T* C_;
  std::size_t m_;
  std::size_t n_;
  std::size_t stride_;
  Part part_;
};

}  // namespace

template <class T>
void pack(const View<T>& A, unsigned threads, Packed<T>& to) {
  constexpr std::size_t together = 16;
  const std::size_t strips = (A.rows + to.width - 1) / to.width;
  parallel_for((strips + together - 1) / together, threads, [&](std::size_t task) {
    for (std::size_t s = task * together; s < std::min(strips, (task + 1) * together); ++s)
      pack_strip(A, s * to.width, to.width, to.strip(s));
  });
}

template <class T>
void multiply_packed(const Micro<T>& micro, const Packed<T>& A, const Packed<T>& B, T sign, T* C,
                     std::size_t m, std::size_t n, std::size_t stride, Part part,
                     unsigned threads) {
  const Tile<T> tile(micro, A, B, sign, C, m, n, stride, part);
  const std::size_t rows = (m + tile_rows - 1) / tile_rows;
  const std::size_t columns = (n + tile_columns - 1) / tile_columns;
  parallel_for(rows * columns, threads, [&](std::size_t task) {
    const std::size_t row = task / columns * tile_rows;
    const std::size_t column = task % columns * tile_columns;
    if (part == Part::lower && column >= row + tile_rows) return;
    if (part == Part::upper && row >= column + tile_columns) return;
    tile.run(row, column);
  });
}

template void pack<float>(const View<float>&, unsigned, Packed<float>&);
template void pack<double>(const View<double>&, unsigned, Packed<double>&);
template void multiply_packed<float>(const Micro<float>&, const Packed<float>&,
                                     const Packed<float>&, float, float*, std::size_t, std::size_t,
                                     std::size_t, Part, unsigned);
template void multiply_packed<double>(const Micro<double>&, const Packed<double>&,
                                      const Packed<double>&, double, double*, std::size_t,
                                      std::size_t, std::size_t, Part, unsigned);

}  // namespace mercer::numeric
