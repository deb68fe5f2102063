// A lower triangular L, packed once for many right-hand sides.
//
// These come in panels: `columns()` of them next to each other, row by row, with room for `room()`
// rows. That is the order in which the innermost loops both read and write them, so that nothing
// but L is ever packed; and a panel is solved for by one thread, whatever the others do.
#pragma once

#include <cstddef>
#include <vector>

#include "numeric/packed.hpp"

namespace mercer::numeric {

template <class T>
class PackedLower {
 public:
  static constexpr std::size_t block = 256;

  PackedLower(std::size_t size, const Micro<T>& micro) : micro_(micro), size_(size) {}
  // The next `block` columns of L, or what is left of them, from the diagonal down.
  void add(const View<T>& columns, unsigned threads);

  [[nodiscard]] std::size_t columns() const { return micro_.columns; }
  // Strips of the last block may be longer than it is: what is behind must be zeros, or numbers.
  [[nodiscard]] std::size_t room() const { return size_ + micro_.rows; }

  // X ← L⁻¹ X for each of `count` panels, `apart` numbers from each other.
  void solve(T* panels, std::size_t count, std::size_t apart) const;

 private:
  struct Block {
    Packed<T> strips;       // of all rows: first those beside the diagonal, then those below
    std::size_t below = 0;  // the first strip of these
    Aligned<T> triangles;   // on the diagonal, with the diagonal inverted
  };

  const Micro<T>& micro_;
  std::size_t size_;
  std::vector<Block> blocks_;
};

}  // namespace mercer::numeric
