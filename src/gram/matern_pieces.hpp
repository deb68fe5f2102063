// A Matérn function for vectors: M(t) = exp(-t) p(t) with cubics (floats) or polynomials of degree
// 7 (doubles) on so many pieces of each octave that they are as exact as the numbers are. The
// piece, and where in it t lies, are bits of t.
#pragma once

#include <cstdint>
#include <vector>

namespace mercer::gram {

class MaternTable;

template <class T>
struct MaternPieces {
  static constexpr std::size_t coefficients = sizeof(T) == 4 ? 4 : 8;

  // Empty where no reasonable number of pieces is enough (a large smoothness).
  explicit MaternPieces(const MaternTable& table);

  [[nodiscard]] bool empty() const { return c.empty(); }

  T low = 0;               // the pieces are from here …
  T high = 0;              // … to below here,
  T zero = 0;              // and from here on M is no normal number
  int bits = 0;            // 2^bits pieces for an octave
  int shift = 0;           // the bits of t that say where in its piece it lies
  std::int64_t first = 0;  // the bits of `low` above those
  std::vector<T> c;        // for each piece the coefficients of 1, u, u², …, u in [-1, 1)

 private:
  bool fit(const MaternTable& table);
};

extern template struct MaternPieces<float>;
extern template struct MaternPieces<double>;

}  // namespace mercer::gram
