#include "numeric/packed_lower.hpp"

#include "base/parallel.hpp"
#include "base/tiny.hpp"

namespace mercer::numeric {

template <class T>
void PackedLower<T>::add(const View<T>& columns, unsigned threads) {
  const std::size_t rows = micro_.rows;
  const std::size_t wide = columns.columns;
  const std::size_t beside = (wide + rows - 1) / rows;
  const std::size_t rest = columns.rows - wide;
  const std::size_t strips = beside + (rest + rows - 1) / rows;
  Block& b = blocks_.emplace_back();
  b.strips = Packed<T>(strips * rows, wide, rows);
  b.below = beside;
  b.triangles = Aligned<T>(beside * rows * rows);
  const View<T> corner = columns.part(0, 0, wide, wide);
  const View<T> below = columns.part(wide, 0, rest, wide);
  parallel_for(strips, threads, [&](std::size_t s) {
    if (s < beside) {
      pack_strip(corner, s * rows, rows, b.strips.strip(s));
    } else {
      pack_strip(below, (s - beside) * rows, rows, b.strips.strip(s));
    }
  });
  for (std::size_t i = 0; i < beside * rows; ++i)
    for (std::size_t c = 0; c < rows; ++c) {
      const std::size_t j = i / rows * rows + c;
      T& to = b.triangles[i * rows + c];
      if (i >= wide || j >= wide) {
        to = T(i == j);
      } else {
        const T value = corner.data[i * corner.row + j * corner.column];
        to = i == j ? 1 / value : value;
      }
    }
}

template <class T>
void PackedLower<T>::solve(T* panels, std::size_t count, std::size_t apart) const {
  const TinyIsZero tiny_is_zero;
  const std::size_t rows = micro_.rows;
  const std::size_t wide = micro_.columns;
  // Strips that stay in the second cache while the panels pass by.
  constexpr std::size_t together = 24;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& b = blocks_[k];
    const std::size_t depth = b.strips.depth;
    const std::size_t strips = (size_ - k * block - depth + rows - 1) / rows;
    for (std::size_t p = 0; p < count; ++p) {
      T* here = panels + p * apart + k * block * wide;
      for (std::size_t s = 0; s < b.below; ++s) {
        T* x = here + s * rows * wide;
        if (s > 0) micro_.multiply(s * rows, b.strips.strip(s), here, T(-1), x, wide);
        micro_.solve(b.triangles.data() + s * rows * rows, x);
      }
    }
    for (std::size_t first = 0; first < strips; first += together)
      for (std::size_t p = 0; p < count; ++p) {
        T* here = panels + p * apart + k * block * wide;
        for (std::size_t s = first; s < std::min(strips, first + together); ++s)
          micro_.multiply(depth, b.strips.strip(b.below + s), here, T(-1),
                          here + (depth + s * rows) * wide, wide);
      }
  }
}

template class PackedLower<float>;
template class PackedLower<double>;

}  // namespace mercer::numeric
