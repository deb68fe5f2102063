// What is done with the values of a tile: products with vectors, in double, and ways to memory.
// Included once per instruction set: no include guard.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

// ---- products with several vectors at once
//
// Lanes run over the points z: V and what comes back are in panels (panels.hpp), so that no width
// needs padding. A block of sums stays in registers: of some rows and columns on the way there, of
// some vectors of points z and columns on the way back.

// With C columns a block has so many rows, or vectors, that its sums leave registers for what is
// multiplied: of 16, or of 32. Units of rows and of columns consist of whole blocks.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET <= HWY_AVX3
inline constexpr std::size_t registers = 2;
inline constexpr std::size_t beside[] = {0, 8, 12, 8, 6};
#else
inline constexpr std::size_t registers = 1;
inline constexpr std::size_t beside[] = {0, 8, 6, 4, 3};
#endif
inline constexpr std::size_t most_columns = 4;
template <std::size_t C>
inline constexpr std::size_t beside_columns = beside[C];

// A vector of doubles, or of floats from floats.
template <class D, class T>
HWY_INLINE hn::Vec<D> widened(D d, const T* from) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

// The same of the last few numbers, and zeros.
template <class D, class T>
HWY_INLINE hn::Vec<D> widened(D d, const T* from, std::size_t count) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  T some[lanes];
  for (std::size_t i = 0; i < lanes; ++i) some[i] = i < count ? from[i] : T(0);
  return widened(d, static_cast<const T*>(some));
}

// A vector whose lane i is the sum of the lanes of v[i], for as many v as it has lanes: each step
// adds halves of two vectors to each other, so that all lanes stay busy.
template <class D, class V>
HWY_INLINE V sums_of_lanes(D d, const V* v) {
#if HWY_TARGET == HWY_SCALAR
  (void)d;
  return v[0];
#else
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const auto two = [&](std::size_t i) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, v[i], v[i + 1]), hn::InterleaveUpper(d, v[i], v[i + 1]));
  };
  if constexpr (lanes == 2) {
    return two(0);
  } else {
    const auto halves = [&](V low, V high) HWY_ATTR {
      return hn::Add(hn::ConcatLowerLower(d, high, low), hn::ConcatUpperUpper(d, high, low));
    };
    if constexpr (lanes == 4) {
      return halves(two(0), two(2));
    } else {
      static_assert(lanes == 8);
      const V even = halves(two(0), two(4));  // of 0, 1 and of 4, 5, in two blocks each
      const V odd = halves(two(2), two(6));
      return hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even),
                     hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even)));
    }
  }
#endif
}

// A vector of doubles with the same sum.
template <class V>
HWY_INLINE hn::Vec<hn::ScalableTag<double>> folded(hn::ScalableTag<double>, V v, double) {
  return v;
}
template <class V>
HWY_INLINE hn::Vec<hn::ScalableTag<double>> folded(hn::ScalableTag<double> d, V v, float) {
#if HWY_TARGET == HWY_SCALAR
  return hn::PromoteTo(d, v);
#else
  const hn::Half<hn::ScalableTag<float>> half;
  return hn::Add(hn::PromoteTo(d, hn::LowerHalf(half, v)),
                 hn::PromoteTo(d, hn::UpperHalf(half, v)));
#endif
}

// out[r*width + c] += Σ_j values[r][j] V[c*apart + j] for c < C, in S, floats or doubles. Of R
// rows; those beyond the last are that one again, and not stored; `whole`: there are none. Of rows
// in a tile the address of the first tells all.
template <bool in_tile, bool whole, std::size_t R, std::size_t C, class S, class T>
HWY_INLINE void multiply_block(const T* const* values, std::size_t begin, std::size_t rows,
                               std::size_t columns, const S* HWY_RESTRICT V, std::size_t apart,
                               std::size_t width, double* out) {
  const hn::ScalableTag<S> d;
  using W = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const T* at[R];
  W sum[R][C];
  HWY_UNROLL(16)
  for (std::size_t r = 0; r < R; ++r) {
    const std::size_t row = begin + (whole ? r : HWY_MIN(r, rows - 1));
    at[r] = in_tile ? values[0] + row * unit_columns : values[row];
    HWY_UNROLL(8)
    for (std::size_t c = 0; c < C; ++c) sum[r][c] = hn::Zero(d);
  }
  const auto add = [&](std::size_t j, const auto& value) HWY_ATTR {
    if constexpr (R <= C) {
      W k[R];
      HWY_UNROLL(16)
      for (std::size_t r = 0; r < R; ++r) k[r] = value(r);
      HWY_UNROLL(8)
      for (std::size_t c = 0; c < C; ++c) {
        const W v = hn::LoadU(d, V + c * apart + j);
        HWY_UNROLL(16)
        for (std::size_t r = 0; r < R; ++r) sum[r][c] = hn::MulAdd(k[r], v, sum[r][c]);
      }
    } else {
      W v[C];
      HWY_UNROLL(8)
      for (std::size_t c = 0; c < C; ++c) v[c] = hn::LoadU(d, V + c * apart + j);
      HWY_UNROLL(16)
      for (std::size_t r = 0; r < R; ++r) {
        const W k = value(r);
        HWY_UNROLL(8)
        for (std::size_t c = 0; c < C; ++c) sum[r][c] = hn::MulAdd(k, v[c], sum[r][c]);
      }
    }
  };
  std::size_t j = 0;
  constexpr std::size_t line = cache_line / sizeof(T);
  // What comes next: more columns of these rows, or of such tiles.
  const std::size_t ahead = !in_tile ? columns : columns / unit_columns * unit_size;
  for (std::size_t end = in_tile ? HWY_MIN(columns, unit_columns) : columns;;) {
    for (; j + lanes <= end; j += lanes) {
      if ((!in_tile || columns > unit_columns) && j % line == 0) HWY_UNROLL(16)
      for (std::size_t r = 0; r < R; ++r) hwy::Prefetch(at[r] + ahead + j);
      add(j, [&](std::size_t r) HWY_ATTR { return widened(d, at[r] + j); });
    }
    if (!in_tile || end == columns) break;
    end = HWY_MIN(columns, end + unit_columns);
    HWY_UNROLL(16)
    for (std::size_t r = 0; r < R; ++r) at[r] += unit_size - unit_columns;  // the next tile
  }
  if (j < columns)
    add(j, [&](std::size_t r) HWY_ATTR { return widened(d, at[r] + j, columns - j); });
  const hn::ScalableTag<double> in_double;
  constexpr std::size_t at_once = hn::MaxLanes(in_double);
  static_assert(R * C % at_once == 0);
  HWY_ALIGN double sums[R * C];
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < R * C; i += at_once) {
    hn::Vec<decltype(in_double)> some[at_once];
    HWY_UNROLL(8)
    for (std::size_t l = 0; l < at_once; ++l)
      some[l] = folded(in_double, sum[(i + l) / C][(i + l) % C], S());
    hn::Store(sums_of_lanes(in_double, some), in_double, sums + i);
  }
  for (std::size_t r = 0; r < HWY_MIN(rows, R); ++r) HWY_UNROLL(4)
  for (std::size_t c = 0; c < C; ++c) out[r * width + c] += sums[r * C + c];
}

template <bool in_tile, std::size_t C, class S, class T>
HWY_INLINE void multiply_rows(const T* const* values, std::size_t begin, std::size_t end,
                              std::size_t columns, const S* V, std::size_t apart, std::size_t width,
                              double* out) {
  constexpr std::size_t R = beside_columns<C>;
  std::size_t r = begin;
  for (; r + R <= end; r += R)
    multiply_block<in_tile, true, R, C>(values, r, R, columns, V, apart, width, out + r * width);
  if (r < end)
    multiply_block<in_tile, false, R, C>(values, r, end - r, columns, V, apart, width,
                                         out + r * width);
}

// f(number of columns, the first of them): blocks of nearly the same size.
template <class F>
HWY_INLINE void in_blocks(std::size_t width, const F& f) {
  for (std::size_t c = 0; c < width;) {
    const std::size_t blocks = (width - c + most_columns - 1) / most_columns;
    const std::size_t now = (width - c + blocks - 1) / blocks;
    switch (now) {
      case 1:
        f(std::integral_constant<std::size_t, 1>(), c);
        break;
      case 2:
        f(std::integral_constant<std::size_t, 2>(), c);
        break;
      case 3:
        f(std::integral_constant<std::size_t, 3>(), c);
        break;
      default:
        f(std::integral_constant<std::size_t, 4>(), c);
    }
    c += now;
  }
}

template <bool in_tile, class S, class T>
HWY_INLINE void multiply_all(const T* const* values, std::size_t rows, std::size_t columns,
                             const S* V, std::size_t apart, std::size_t width, double* out) {
  if (width == 1) return multiply_rows<in_tile, 1>(values, 0, rows, columns, V, apart, width, out);
  // Blocks of columns take turns at rows that stay in the first cache.
  constexpr std::size_t together = 12 * registers;
  const std::size_t some = width <= most_columns ? rows : together;
  for (std::size_t r = 0; r < rows; r += some)
    in_blocks(width, [&](auto count, std::size_t c) HWY_ATTR {
      multiply_rows<in_tile, decltype(count)::value>(values, r, HWY_MIN(rows, r + some), columns,
                                                     V + c * apart, apart, width, out + c);
    });
}

// See Engine::multiply, multiply_nearby. Each sum is of the same terms in the same order, however
// many rows there are.
template <class T, class S>
HWY_NOINLINE void multiply_values(const T* const* values, bool in_tile, std::size_t rows,
                                  std::size_t columns, const S* V, std::size_t apart,
                                  std::size_t width, double* out) {
  if (in_tile) return multiply_all<true>(values, rows, columns, V, apart, width, out);
  multiply_all<false>(values, rows, columns, V, apart, width, out);
}

// A vector of doubles onto two of them in memory, or one.
template <class V>
HWY_INLINE void add_widened(V v, double* to, double) {
  const hn::ScalableTag<double> d;
  hn::StoreU(hn::Add(hn::LoadU(d, to), v), d, to);
}
template <class V>
HWY_INLINE void add_widened(V v, double* to, float) {
  const hn::ScalableTag<double> d;
#if HWY_TARGET == HWY_SCALAR
  add_widened(hn::PromoteTo(d, v), to, double());
#else
  const hn::Half<hn::ScalableTag<float>> half;
  add_widened(hn::PromoteTo(d, hn::LowerHalf(half, v)), to, double());
  add_widened(hn::PromoteTo(d, hn::UpperHalf(half, v)), to + hn::MaxLanes(d), double());
#endif
}

// out[c*apart + j] += Σ_r values[r][j] T[r*width + c] for c < C and `vectors` of lanes of j,
// or where they are not whole for one and `count` numbers of it. Sums in S: doubles go on with what
// is there, floats are added to it.
template <bool whole, std::size_t vectors, std::size_t C, class S, class T>
HWY_INLINE void multiply_back_block(const T* const* values, std::size_t rows, std::size_t j,
                                    std::size_t count, const S* HWY_RESTRICT T_values,
                                    std::size_t width, double* HWY_RESTRICT out,
                                    std::size_t apart) {
  constexpr bool in_doubles = std::is_same_v<S, double>;
  const hn::ScalableTag<S> d;
  using W = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  W sum[vectors][C];
  HWY_UNROLL(16)
  for (std::size_t v = 0; v < vectors; ++v) HWY_UNROLL(8)
  for (std::size_t c = 0; c < C; ++c) {
    if constexpr (in_doubles) {
      sum[v][c] = hn::LoadU(d, out + c * apart + j + v * lanes);
    } else {
      sum[v][c] = hn::Zero(d);
    }
  }
  std::size_t r = 0;
  if constexpr (!in_doubles && C == 1) {
    // One sum waits for itself longer than there is work: rows take turns at two.
    W odd[vectors];
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) odd[v] = hn::Zero(d);
    for (; r + 2 <= rows; r += 2) {
      const W t = hn::Set(d, T_values[r * width]);
      const W u = hn::Set(d, T_values[(r + 1) * width]);
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) {
        const T* a = values[r] + j + v * lanes;
        const T* b = values[r + 1] + j + v * lanes;
        sum[v][0] = hn::MulAdd(whole ? widened(d, a) : widened(d, a, count), t, sum[v][0]);
        odd[v] = hn::MulAdd(whole ? widened(d, b) : widened(d, b, count), u, odd[v]);
      }
    }
    HWY_UNROLL(16)
    for (std::size_t v = 0; v < vectors; ++v) sum[v][0] = hn::Add(sum[v][0], odd[v]);
  }
  for (; r < rows; ++r) {
    const auto value = [&](std::size_t v) HWY_ATTR {
      const T* at = values[r] + j + v * lanes;
      return whole ? widened(d, at) : widened(d, at, count);
    };
    const S* from = T_values + r * width;
    if constexpr (vectors <= C) {
      W k[vectors];
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) k[v] = value(v);
      HWY_UNROLL(8)
      for (std::size_t c = 0; c < C; ++c) {
        const W t = hn::Set(d, from[c]);
        HWY_UNROLL(16)
        for (std::size_t v = 0; v < vectors; ++v) sum[v][c] = hn::MulAdd(k[v], t, sum[v][c]);
      }
    } else {
      W t[C];
      HWY_UNROLL(8)
      for (std::size_t c = 0; c < C; ++c) t[c] = hn::Set(d, from[c]);
      HWY_UNROLL(16)
      for (std::size_t v = 0; v < vectors; ++v) {
        const W k = value(v);
        HWY_UNROLL(8)
        for (std::size_t c = 0; c < C; ++c) sum[v][c] = hn::MulAdd(k, t[c], sum[v][c]);
      }
    }
  }
  HWY_UNROLL(16)
  for (std::size_t v = 0; v < vectors; ++v) HWY_UNROLL(8)
  for (std::size_t c = 0; c < C; ++c) {
    double* to = out + c * apart + j + v * lanes;
    if constexpr (in_doubles) {
      hn::StoreU(sum[v][c], d, to);
    } else {
      add_widened(sum[v][c], to, S());
    }
  }
}

// See Engine::multiply_back, multiply_back_nearby. Each sum is of the rows in their order; in
// floats of so many of them.
template <class T, class S>
HWY_NOINLINE void multiply_values_back(const T* const* values, std::size_t rows,
                                       std::size_t columns, const S* T_values, std::size_t width,
                                       double* out, std::size_t apart) {
  constexpr bool in_doubles = std::is_same_v<S, double>;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<S>());
  constexpr std::size_t together = 2 * unit_columns;
  constexpr std::size_t nearby = 64;
  const std::size_t some = in_doubles ? rows : nearby;
  for (std::size_t r = 0; r < rows; r += some, values += some, T_values += some * width)
    for (std::size_t begin = 0; begin < columns; begin += together) {
      const std::size_t end = HWY_MIN(columns, begin + together);
      const std::size_t now = HWY_MIN(some, rows - r);
      in_blocks(width, [&](auto number, std::size_t c) HWY_ATTR {
        constexpr std::size_t C = decltype(number)::value;
        // No more than a tile has.
        constexpr std::size_t vectors =
            in_doubles ? HWY_MIN(beside_columns<C>, unit_columns / lanes) : unit_columns / lanes;
        const S* from = T_values + c;
        double* to = out + c * apart;
        std::size_t j = begin;
        for (; j + vectors * lanes <= end; j += vectors * lanes)
          multiply_back_block<true, vectors, C>(values, now, j, lanes, from, width, to, apart);
        for (; j + lanes <= end; j += lanes)
          multiply_back_block<true, 1, C>(values, now, j, lanes, from, width, to, apart);
        if (j < end)
          multiply_back_block<false, 1, C>(values, now, j, end - j, from, width, to, apart);
      });
    }
}

// To memory that is not read soon: whole lines go past the caches, and need not be read first.
template <class T>
HWY_NOINLINE void store_far(const T* from, std::size_t count, T* to) {
  const Tag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t line = cache_line / sizeof(T);
  const std::size_t before = (reinterpret_cast<std::uintptr_t>(to) % cache_line) / sizeof(T);
  std::size_t j = HWY_MIN(before == 0 ? 0 : line - before, count);
  std::copy_n(from, j, to);
  for (; j + line <= count; j += line)
    for (std::size_t i = j; i < j + line; i += lanes) hn::Stream(hn::LoadU(d, from + i), d, to + i);
  std::copy_n(from + j, count - j, to + j);
}

inline void flush() { hwy::FlushStream(); }

#if HWY_TARGET != HWY_SCALAR
// Blocks of 128 bits, one from each stretch of memory: the first is the lowest.
template <class D, class T>
HWY_INLINE hn::Vec<D> gathered_blocks(D d, const T* from, std::size_t apart) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  if constexpr (lanes * sizeof(T) == 16) {
    return hn::LoadU(d, from);
  } else {
#if HWY_TARGET <= HWY_AVX3
    // From memory, blocks need not wait for the one port that moves them between places.
    if constexpr (lanes * sizeof(T) == 64) {
      const auto block = [&](std::size_t b) HWY_ATTR {
        return _mm_loadu_ps(reinterpret_cast<const float*>(from + b * apart));
      };
      auto all = _mm512_castps128_ps512(block(0));
      all = _mm512_insertf32x4(all, block(1), 1);
      all = _mm512_insertf32x4(all, block(2), 2);
      all = _mm512_insertf32x4(all, block(3), 3);
      return hn::BitCast(d, hn::Vec<hn::Repartition<float, D>>{all});
    }
#endif
    const hn::Half<D> half;
    return hn::Combine(d, gathered_blocks(half, from + lanes / 2 / (16 / sizeof(T)) * apart, apart),
                       gathered_blocks(half, from, apart));
  }
}

// As many rows as D has lanes, of so many columns, in squares of 128 bits a side: the rows of a
// square come from memory next to each other, one square to each block of a vector.
template <class D, class T>
HWY_INLINE void transpose_rows(D d, const T* from, std::size_t columns, T* to, std::size_t stride) {
  using V = hn::Vec<D>;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  constexpr std::size_t side = 16 / sizeof(T);
  std::size_t c = 0;
  for (; c + side <= columns; c += side) {
    V a[side];
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < side; ++i)
      a[i] = gathered_blocks(d, from + i * unit_columns + c, side * unit_columns);
    T* out = to + c * stride;
    if constexpr (side == 2) {
      hn::StoreU(hn::InterleaveLower(d, a[0], a[1]), d, out);
      hn::StoreU(hn::InterleaveUpper(d, a[0], a[1]), d, out + stride);
    } else {
      const hn::Repartition<double, D> pairs;
      const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, a[0], a[1]));
      const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, a[2], a[3]));
      const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, a[0], a[1]));
      const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, a[2], a[3]));
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, out);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, out + stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, out + 2 * stride);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, out + 3 * stride);
    }
  }
  for (; c < columns; ++c)
    for (std::size_t r = 0; r < lanes; ++r) to[c * stride + r] = from[r * unit_columns + c];
}

// All rows that are left, most of them at a time; returns how many were done.
template <class D, class T>
HWY_INLINE std::size_t transpose_by(D d, const T* from, std::size_t begin, std::size_t rows,
                                    std::size_t columns, T* to, std::size_t stride) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  std::size_t r = begin;
  for (; r + lanes <= rows; r += lanes)
    transpose_rows(d, from + r * unit_columns, columns, to + r, stride);
  if constexpr (lanes * sizeof(T) > 16)
    r = transpose_by(hn::Half<D>(), from, r, rows, columns, to, stride);
  return r;
}
#endif

// See Engine::copy.
template <class T>
HWY_NOINLINE void copy(const T* from, std::size_t from_stride, std::size_t rows,
                       std::size_t columns, T* to, std::size_t stride) {
  const Tag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t at_once = 4;
  for (std::size_t r = 0; r < rows; ++r, from += from_stride, to += stride) {
    std::size_t c = 0;
    for (; c + at_once * lanes <= columns; c += at_once * lanes) HWY_UNROLL(4)
    for (std::size_t j = c; j < c + at_once * lanes; j += lanes)
      hn::StoreU(hn::LoadU(d, from + j), d, to + j);
    for (; c + lanes <= columns; c += lanes) hn::StoreU(hn::LoadU(d, from + c), d, to + c);
    for (; c < columns; ++c) to[c] = from[c];
  }
}

// See Engine::transpose.
template <class T>
HWY_NOINLINE void transpose(const T* from, std::size_t rows, std::size_t columns, T* to,
                            std::size_t stride) {
  std::size_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  // Whole vectors from a line's beginning on: a store to two lines takes twice as long.
  if constexpr (hn::MaxLanes(Tag<T>()) * sizeof(T) == cache_line) {
    const hn::Half<Tag<T>> half;
    constexpr std::size_t some = hn::MaxLanes(half);
    if (rows >= some && reinterpret_cast<std::uintptr_t>(to) % cache_line == some * sizeof(T)) {
      transpose_rows(half, from, columns, to, stride);
      r = some;
    }
  }
  r = transpose_by(Tag<T>(), from, r, rows, columns, to, stride);
#endif
  for (; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) to[c * stride + r] = from[r * unit_columns + c];
}

// Sixteen floats at a time, where turning them into doubles is dear.
template <class T>
inline constexpr bool nearby_pays = HWY_TARGET <= HWY_AVX3 && sizeof(T) == 4;

template <class T>
Engine<T> make_engine() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .panel = panel_width<T>,
          .together = micro_rows,
          .run = run_plan<T>,
          .squared_norm = squared_norm<T>,
          .multiply = multiply_values<T, double>,
          .multiply_nearby = nearby_pays<T> ? multiply_values<T, T> : nullptr,
          .multiply_back = multiply_values_back<T, double>,
          .multiply_back_nearby = nearby_pays<T> ? multiply_values_back<T, T> : nullptr,
          .store_far = store_far<T>,
          .copy = copy<T>,
          .transpose = transpose<T>,
          .flush = flush};
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
