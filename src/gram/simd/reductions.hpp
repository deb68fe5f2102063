// Reductions over coordinates: one micro-kernel for all, with accumulators in registers.
// Included once per instruction set: no include guard.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

// The shape of the micro-kernel: rows of broadcast numbers times vectors of a panel. 24
// accumulators of 32 registers, or 12 of 16.
#if HWY_TARGET == HWY_SCALAR
inline constexpr std::size_t micro_rows = 4;
inline constexpr std::size_t micro_vectors = 4;
#elif HWY_TARGET <= HWY_AVX3
inline constexpr std::size_t micro_rows = 6;
inline constexpr std::size_t micro_vectors = 4;
#else
inline constexpr std::size_t micro_rows = 6;
inline constexpr std::size_t micro_vectors = 2;
#endif
static_assert(unit_rows % micro_rows == 0 && few_rows == 2);

template <class T>
using Tag = hn::ScalableTag<T>;

template <class T>
inline constexpr std::size_t panel_width = micro_vectors* hn::MaxLanes(Tag<T>());

// ---- one coordinate more

struct Dot {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V sum) const {
    return hn::MulAdd(a, b, sum);
  }
};
struct SquaredDifference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V sum) const {
    const V t = hn::Sub(a, b);
    return hn::MulAdd(t, t, sum);
  }
};
struct AbsoluteDifference {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V sum) const {
    return hn::Add(sum, hn::Abs(hn::Sub(a, b)));
  }
};
struct Minimum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V sum) const {
    return hn::Add(sum, hn::Min(a, b));
  }
};
struct Maximum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b, V sum) const {
    return hn::Add(sum, hn::Max(a, b));
  }
};
// (a-b)²/(a+b); where both are 0 the quotient is 0/0, and dropped.
struct Chi {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V sum) const {
    const V t = hn::Sub(a, b);
    const V s = hn::Add(a, b);
    const auto both_zero = hn::And(hn::Eq(a, hn::Zero(d)), hn::Eq(b, hn::Zero(d)));
    return hn::Add(sum, hn::IfThenZeroElse(both_zero, hn::Div(hn::Mul(t, t), s)));
  }
};
struct OnePlusProduct {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V product) const {
    return hn::Mul(product, hn::MulAdd(a, b, hn::Set(d, static_cast<hn::TFromD<D>>(1))));
  }
};
struct ShiftedProduct {
  double shift;
  double scale;
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V product) const {
    using T = hn::TFromD<D>;
    return hn::Mul(product, hn::MulAdd(hn::Mul(a, b), hn::Set(d, static_cast<T>(scale)),
                                       hn::Set(d, static_cast<T>(shift))));
  }
};

// ---- the same where one of them may be 0: what the two have in excess of each alone

// min(a,b) - min(a,0) - min(b,0) is b held between 0 and a, with the sign of a; of maxima it is the
// opposite, and of |a-b| twice that.
template <int factor>
struct HeldBetween {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V sum) const {
    const V zero = hn::Zero(d);
    const V sign = hn::CopySign(hn::Set(d, static_cast<hn::TFromD<D>>(1)), a);
    const V signed_factor = hn::Mul(hn::Set(d, static_cast<hn::TFromD<D>>(factor)), sign);
    const V held = hn::Min(hn::Max(b, hn::Min(a, zero)), hn::Max(a, zero));
    return hn::MulAdd(signed_factor, held, sum);
  }
};
using AbsoluteOverlap = HeldBetween<-2>;
using MinimumOverlap = HeldBetween<1>;
using MaximumOverlap = HeldBetween<-1>;
// (a-b)²/(a+b) - a - b = -4ab/(a+b)
struct ChiOverlap {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V b, V sum) const {
    const V product = hn::Mul(hn::Mul(a, b), hn::Set(d, static_cast<hn::TFromD<D>>(-4)));
    const V quotient = hn::Div(product, hn::Add(a, b));
    return hn::Add(sum, hn::IfThenZeroElse(hn::Eq(b, hn::Zero(d)), quotient));
  }
};

// ---- what becomes of sums

// finish(d, v, row, column), while they are in registers: vectors next to each other of that row of
// the tile, from that column on. Where there is more, finish.rest(d, v) does it when all sums of
// the tile are known: an exponential waits for itself most of the time, and the sums of the next
// rows would wait along with it.
struct AsTheyAre {
  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D, V (&)[count], std::size_t, std::size_t) const {}
};

// 2^(x·z - |x|²/2 - |z|²/2): the heart of rbf, of points that were scaled for it. The norms are
// finite.
template <class T>
struct Gaussian {
  const T* x;  // |x|²/2 of the rows
  const T* z;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t row, std::size_t column) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const V row_norm = hn::Set(d, x[row]);
    HWY_UNROLL(8)
    for (std::size_t j = 0; j < count; ++j) {
      const V norms = hn::Add(row_norm, hn::LoadU(d, z + column + j * lanes));
      v[j] = held_above(d, hn::Min(hn::Sub(v[j], norms), hn::Zero(d)));
    }
  }
  template <class D, class V, std::size_t count>
  HWY_INLINE void rest(D d, V (&v)[count]) const {
    powers_in_range(d, v);
  }
};

// exp(p |x-z|² + q) from x·z, where others want |x-z|² or x·z, too. The norms are finite, p is
// negative and the values stay below 2^127, so that all of them are numbers; p and q are those of a
// power of two.
template <class T>
struct GaussianOfDot {
  const T* x;  // |x|² of the rows
  const T* z;
  T p;
  T q;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t row, std::size_t column) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const V row_norm = hn::Set(d, x[row]);
    HWY_UNROLL(8)
    for (std::size_t j = 0; j < count; ++j) {
      const V norms = hn::Add(row_norm, hn::LoadU(d, z + column + j * lanes));
      const V square = hn::MulAdd(hn::Set(d, static_cast<T>(-2)), v[j], norms);
      v[j] = held_above(d, hn::MulAdd(hn::Set(d, p), no_less(hn::Zero(d), square), hn::Set(d, q)));
    }
  }
  template <class D, class V, std::size_t count>
  HWY_INLINE void rest(D d, V (&v)[count]) const {
    powers_in_range(d, v);
  }
};

// exp(p v + q) of sums v that are not negative, under the same conditions.
template <class T>
struct ExponentialOfSum {
  T p;
  T q;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t, std::size_t) const {
    HWY_UNROLL(8)
    for (std::size_t j = 0; j < count; ++j)
      v[j] = held_above(d, hn::MulAdd(hn::Set(d, p), v[j], hn::Set(d, q)));
  }
  template <class D, class V, std::size_t count>
  HWY_INLINE void rest(D d, V (&v)[count]) const {
    powers_in_range(d, v);
  }
};

// p f(v, f(x), f(z)) + q, with functions of the points.
template <class T, class F>
struct SumAndPoints {
  const T* x;
  const T* z;
  T p;
  T q;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t row, std::size_t column) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const V of_x = hn::Set(d, x[row]);
    HWY_UNROLL(4)
    for (std::size_t j = 0; j < count; ++j) {
      const V w = F()(d, v[j], of_x, hn::LoadU(d, z + column + j * lanes));
      v[j] = hn::MulAdd(hn::Set(d, p), w, hn::Set(d, q));
    }
  }
};

struct Distance {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V a, V x, V z) const {
    const V minus_two = hn::Set(d, static_cast<hn::TFromD<D>>(-2));
    return no_less(hn::Zero(d), hn::MulAdd(minus_two, a, hn::Add(x, z)));
  }
};
// The dot product stays, and |x-z|² goes to a tile of its own.
template <class T>
struct DistanceBeside {
  const T* x;  // |x|² of the rows
  const T* z;
  T* to;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t row, std::size_t column) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const V row_norm = hn::Set(d, x[row]);
    HWY_UNROLL(8)
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t c = column + j * lanes;
      hn::Store(Distance()(d, v[j], row_norm, hn::LoadU(d, z + c)), d, to + row * unit_columns + c);
    }
  }
};
// Of points seen from a centre: a + p (f(x) + f(z)), the dot product of the points themselves, goes
// to a tile of its own, and |x-z|² stays.
template <class T>
struct ProductBeside {
  T p;
  const T* f_x;  // f of the rows
  const T* f_z;
  const T* x;  // |x|² of the rows
  const T* z;
  T* to;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t row, std::size_t column) const {
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const V by = hn::Set(d, p);
    const V row_f = hn::Set(d, f_x[row]);
    const V row_norm = hn::Set(d, x[row]);
    HWY_UNROLL(8)
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t c = column + j * lanes;
      hn::Store(hn::MulAdd(by, hn::Add(row_f, hn::LoadU(d, f_z + c)), v[j]), d,
                to + row * unit_columns + c);
      v[j] = Distance()(d, v[j], row_norm, hn::LoadU(d, z + c));
    }
  }
};
struct TimesBoth {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V x, V z) const {
    return hn::Mul(hn::Mul(a, hn::Max(x, z)), hn::Min(x, z));
  }
};
struct TimesRow {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V x, V) const {
    return hn::Mul(a, x);
  }
};
struct TimesColumn {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V, V z) const {
    return hn::Mul(a, z);
  }
};

// (p v + q)^n
template <class T, unsigned n>
struct PowerOfSum {
  T p;
  T q;

  template <class D, class V, std::size_t count>
  HWY_INLINE void operator()(D d, V (&v)[count], std::size_t, std::size_t) const {
    HWY_UNROLL(4)
    for (std::size_t j = 0; j < count; ++j) {
      const V a = hn::MulAdd(hn::Set(d, p), v[j], hn::Set(d, q));
      v[j] = n == 1 ? a : n == 2 ? hn::Mul(a, a) : hn::Mul(a, hn::Mul(a, a));
    }
  }
};

// ---- tiles

// rows[r][k] with panel[k][...] for so many rows and panels, `apart` from each other, for k in
// [begin, end) or for those of a list, onto `out`, which has `stride` per row. After the last of
// them, `finish` makes of the sums what is to be kept of them.
template <std::size_t count, std::size_t panels, class D, class Add, class Finish>
HWY_INLINE void micro_tile(D d, const Add& add, const TileSource<hn::TFromD<D>>& x,
                           const hn::TFromD<D>* HWY_RESTRICT panel, std::size_t apart,
                           std::size_t begin, std::size_t end, const std::uint32_t* const* lists,
                           hn::TFromD<D> start, hn::TFromD<D>* HWY_RESTRICT out, std::size_t stride,
                           bool last, const Finish& finish, std::size_t row_of,
                           std::size_t column_of) {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  constexpr std::size_t width = micro_vectors * lanes;
  constexpr std::size_t vectors = panels * micro_vectors;
  V sum[count][vectors];
  HWY_UNROLL(8)
  for (std::size_t r = 0; r < count; ++r) HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v)
    sum[r][v] = begin == 0 ? hn::Set(d, start) : hn::Load(d, out + r * stride + v * lanes);
  // The coordinate k, with the numbers a(r) of the rows.
  const auto look_at = [&](std::size_t k, const auto& number) HWY_ATTR {
    const T* at = panel + k * width;
    V b[vectors];
    HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v)
      b[v] = hn::Load(d, at + v / micro_vectors * apart + v % micro_vectors * lanes);
    HWY_UNROLL(8)
    for (std::size_t r = 0; r < count; ++r) {
      const V a = hn::Set(d, number(r));
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = add(d, a, b[v], sum[r][v]);
    }
  };
  if (lists != nullptr) {
    const T* at = x.listed + (lists[0] - x.first_listed) * static_cast<std::ptrdiff_t>(micro_rows);
    for (const std::uint32_t* k = lists[0]; k != lists[1]; ++k, at += micro_rows)
      look_at(*k, [&](std::size_t r) HWY_ATTR { return at[r]; });
  } else {
    const T* row[count];
    HWY_UNROLL(8)
    for (std::size_t r = 0; r < count; ++r) row[r] = x.rows[row_of + r];
    for (std::size_t k = begin; k < end; ++k)
      look_at(k, [&](std::size_t r) HWY_ATTR { return row[r][k]; });
  }
  if (last) {
    HWY_UNROLL(8)
    for (std::size_t r = 0; r < count; ++r) finish(d, sum[r], row_of + r, column_of);
  }
  HWY_UNROLL(8)
  for (std::size_t r = 0; r < count; ++r) HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) hn::Store(sum[r][v], d, out + r * stride + v * lanes);
}

// As many rows together as registers have room for.
template <class T, class Add, class Finish>
HWY_NOINLINE void reduce_rows(const Add& add, const TileSource<T>& x, const TileSource<T>& z,
                              const std::uint32_t* const* lists, std::size_t rows,
                              std::size_t columns, T start, const Finish& finish,
                              T* HWY_RESTRICT out) {
  constexpr std::size_t width = panel_width<T>;
  const Tag<T> d;
  const std::size_t slices = (x.length + slice - 1) / slice;
  // Where all panels fit into the first cache, a list is used for one after the other, so that its
  // end can be foreseen.
  const bool all_near = x.length * unit_columns <= slice * width;
  for (std::size_t begin = 0; begin < x.length || begin == 0; begin += slice) {
    const std::size_t end = HWY_MIN(x.length, begin + slice);
    std::size_t r = 0;
    std::size_t c = 0;
    while (r < rows && c < columns) {
      const std::uint32_t* const* here =
          lists == nullptr ? nullptr : lists + r / micro_rows * (slices + 1) + begin / slice;
      micro_tile<micro_rows, 1>(d, add, x, z.panels + c * z.length, 0, begin, end, here, start,
                                out + r * unit_columns + c, unit_columns, end == x.length, finish,
                                r, c);
      if (all_near) {
        c += width;
        if (c < columns) continue;
        c = 0;
        r += micro_rows;
      } else {
        r += micro_rows;
        if (r < rows) continue;
        r = 0;
        c += width;
      }
    }
  }
}

// Up to few_rows, in rows of `length` numbers. Two panels at a time, since one sum waits for the
// next longer than a panel has work; and two rows, as both want the same panels.
template <class T, class Add, class Finish>
HWY_NOINLINE void reduce_few(const Add& add, const TileSource<T>& x, const TileSource<T>& z,
                             std::size_t rows, std::size_t columns, T start, const Finish& finish,
                             T* HWY_RESTRICT out, std::size_t length) {
  constexpr std::size_t width = panel_width<T>;
  // Of rare sums one row and panel: there is enough to compile.
  constexpr bool common = std::is_same_v<Add, Dot> || std::is_same_v<Add, SquaredDifference> ||
                          std::is_same_v<Add, AbsoluteDifference>;
  const Tag<T> d;
  for (std::size_t begin = 0; begin < x.length || begin == 0; begin += slice) {
    const std::size_t end = HWY_MIN(x.length, begin + slice);
    const auto tile = [&](auto count, auto panels, std::size_t r, std::size_t c) HWY_ATTR {
      micro_tile<decltype(count)::value, decltype(panels)::value>(
          d, add, x, z.panels + c * z.length, width * z.length, begin, end, nullptr, start,
          out + r * length + c, length, end == x.length, finish, r, c);
    };
    constexpr std::integral_constant<std::size_t, 1> one;
    [[maybe_unused]] constexpr std::integral_constant<std::size_t, 2> two;
    std::size_t c = 0;
    if constexpr (common) {
      for (; c < columns && c + 2 * width <= length; c += 2 * width) {
        if (rows == 2) {
          tile(two, two, 0, c);
        } else {
          tile(one, two, 0, c);
        }
      }
    }
    for (; c < columns; c += width)
      for (std::size_t r = 0; r < rows; ++r) tile(one, one, r, c);
  }
}

template <class T, class Add, class Finish>
HWY_INLINE void reduce_dense(const Add& add, const TileSource<T>& x, const TileSource<T>& z,
                             std::size_t rows, std::size_t columns, T start, const Finish& finish,
                             T* HWY_RESTRICT out, std::size_t length) {
  // Only products with 0 may be left out.
  const std::uint32_t* const* lists = std::is_same_v<Add, Dot> ? x.lists : nullptr;
  if (lists == nullptr && rows <= few_rows) {
    reduce_few(add, x, z, rows, columns, start, finish, out, length);
  } else {
    reduce_rows(add, x, z, lists, rows, columns, start, finish, out);
  }
}

// Sums over sets of `degree` coordinates: totals of every smaller size go along.
template <class T, std::size_t degree>
HWY_NOINLINE void reduce_symmetric(const TileSource<T>& x, const TileSource<T>& z, std::size_t rows,
                                   std::size_t columns, T* HWY_RESTRICT out) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t width = panel_width<T>;
  for (std::size_t c = 0; c < columns; c += width)
    for (std::size_t r = 0; r < rows; ++r) {
      V sum[micro_vectors][degree];
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < micro_vectors; ++v) HWY_UNROLL(4)
      for (std::size_t j = 0; j < degree; ++j) sum[v][j] = hn::Zero(d);
      const T* row = x.rows[r];
      const T* at = z.panels + c * z.length;
      for (std::size_t k = 0; k < x.length; ++k, at += width) {
        const V a = hn::Set(d, row[k]);
        HWY_UNROLL(4)
        for (std::size_t v = 0; v < micro_vectors; ++v) {
          const V t = hn::Mul(a, hn::Load(d, at + v * lanes));
          HWY_UNROLL(4)
          for (std::size_t j = degree - 1; j > 0; --j)
            sum[v][j] = hn::MulAdd(t, sum[v][j - 1], sum[v][j]);
          sum[v][0] = hn::Add(sum[v][0], t);
        }
      }
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < micro_vectors; ++v)
        hn::Store(sum[v][degree - 1], d, out + r * columns + c + v * lanes);
    }
}

// As many sums at a time as leave registers for the rest, and keep additions busy: each waits for
// the one before.
template <class T>
inline constexpr std::size_t sparse_vectors = HWY_MIN(unit_columns / hn::MaxLanes(Tag<T>()), 8);
template <class T>
inline constexpr std::size_t sparse_together = HWY_TARGET <= HWY_AVX3 ? 2 : 1;

// Entries of a sparse row whose coordinate some point z of the tile has: where its values are. That
// comes first and without branches, since nobody can guess which they are.
template <class T>
struct Meeting {
  static constexpr std::size_t most = 512;
  std::uint32_t slot[most];
  T value[most];
  std::size_t count = 0;

  HWY_INLINE void find(const SparseRow<T>& row, std::size_t begin, const TileSource<T>& z) {
    const std::size_t end = HWY_MIN(row.count, begin + most);
    std::size_t n = 0;
    for (std::size_t e = begin; e < end; ++e) {
      slot[n] = z.slots[row.indices[e]];
      value[n] = row.values[e];
      n += slot[n] > 0 ? 1 : 0;
    }
    count = n;
  }
};

// Row by row, the entries of x that meet some point z at their coordinate meet all of them.
template <class T, class Add, class Finish>
HWY_NOINLINE void reduce_meeting(const Add& add, const TileSource<T>& x, const TileSource<T>& z,
                                 std::size_t rows, T start, const Finish& finish,
                                 T* HWY_RESTRICT out) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t vectors = sparse_vectors<T>;
  Meeting<T> both;
  for (std::size_t r = 0; r < rows; ++r) {
    const SparseRow<T>& row = x.entries[r];
    for (std::size_t begin = 0; begin < row.count || begin == 0; begin += Meeting<T>::most) {
      both.find(row, begin, z);
      for (std::size_t c = 0; c < unit_columns; c += vectors * lanes) {
        T* to = out + r * unit_columns + c;
        V sum[vectors];
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < vectors; ++v)
          sum[v] = begin == 0 ? hn::Set(d, start) : hn::Load(d, to + v * lanes);
        for (std::size_t e = 0; e < both.count; ++e) {
          const V a = hn::Set(d, both.value[e]);
          const T* b = z.slot_values + both.slot[e] * unit_columns + c;
          HWY_UNROLL(8)
          for (std::size_t v = 0; v < vectors; ++v)
            sum[v] = add(d, a, hn::Load(d, b + v * lanes), sum[v]);
        }
        if (begin + Meeting<T>::most >= row.count) finish(d, sum, r, c);
        HWY_UNROLL(8)
        for (std::size_t v = 0; v < vectors; ++v) hn::Store(sum[v], d, to + v * lanes);
      }
    }
  }
}

// So many rows with nearly as many entries each: all entries of x meet all points z, at least
// zeros, which change no sum.
template <std::size_t count, class T, class Add, class Finish>
HWY_INLINE void sparse_rows(const Add& add, const TileSource<T>& x, const TileSource<T>& z,
                            const std::uint8_t* which, T start, const Finish& finish,
                            T* HWY_RESTRICT out) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t vectors = sparse_vectors<T>;
  const std::uint32_t* slots = z.slots;
  for (std::size_t c = 0; c < unit_columns; c += vectors * lanes) {
    const T* at = z.slot_values + c;
    V sum[count][vectors];
    HWY_UNROLL(2)
    for (std::size_t r = 0; r < count; ++r) HWY_UNROLL(8)
    for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = hn::Set(d, start);
    const auto meet = [&](std::size_t r, std::size_t e) HWY_ATTR {
      const SparseRow<T>& row = x.entries[which[r]];
      const V a = hn::Set(d, row.values[e]);
      const T* b = at + slots[row.indices[e]] * unit_columns;
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < vectors; ++v)
        sum[r][v] = add(d, a, hn::Load(d, b + v * lanes), sum[r][v]);
    };
    std::size_t e = 0;
    for (const std::size_t common = x.entries[which[0]].count; e < common; ++e) HWY_UNROLL(2)
    for (std::size_t r = 0; r < count; ++r) meet(r, e);
    for (const std::size_t all = x.entries[which[count - 1]].count; e < all; ++e)
      meet(count - 1, e);
    HWY_UNROLL(2)
    for (std::size_t r = 0; r < count; ++r) {
      finish(d, sum[r], which[r], c);
      HWY_UNROLL(8)
      for (std::size_t v = 0; v < vectors; ++v)
        hn::Store(sum[r][v], d, out + which[r] * unit_columns + c + v * lanes);
    }
  }
}

template <class T, class Add, class Finish>
HWY_NOINLINE void reduce_sparse(const Add& add, const TileSource<T>& x, const TileSource<T>& z,
                                std::size_t rows, T start, const Finish& finish,
                                T* HWY_RESTRICT out) {
  if (!z.crowded) return reduce_meeting(add, x, z, rows, start, finish, out);
  std::size_t r = 0;
  for (; r + sparse_together<T> <= rows; r += sparse_together<T>)
    sparse_rows<sparse_together<T>>(add, x, z, x.by_count + r, start, finish, out);
  for (; r < rows; ++r) sparse_rows<1>(add, x, z, x.by_count + r, start, finish, out);
}

// Sums over sets of `degree` coordinates, likewise.
template <class T, std::size_t degree>
HWY_NOINLINE void reduce_symmetric_sparse(const TileSource<T>& x, const TileSource<T>& z,
                                          std::size_t rows, T* HWY_RESTRICT out) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t vectors = HWY_MIN(unit_columns / lanes, degree > 2 ? 2 : 4);
  Meeting<T> both;
  for (std::size_t r = 0; r < rows; ++r) {
    const SparseRow<T>& row = x.entries[r];
    const bool once = row.count <= Meeting<T>::most;
    if (once) both.find(row, 0, z);
    for (std::size_t c = 0; c < unit_columns; c += vectors * lanes) {
      V sum[vectors][degree];
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < vectors; ++v) HWY_UNROLL(4)
      for (std::size_t j = 0; j < degree; ++j) sum[v][j] = hn::Zero(d);
      for (std::size_t begin = 0; begin < row.count; begin += Meeting<T>::most) {
        if (!once) both.find(row, begin, z);
        for (std::size_t e = 0; e < both.count; ++e) {
          const V a = hn::Set(d, both.value[e]);
          const T* b = z.slot_values + both.slot[e] * unit_columns + c;
          HWY_UNROLL(4)
          for (std::size_t v = 0; v < vectors; ++v) {
            const V t = hn::Mul(a, hn::Load(d, b + v * lanes));
            HWY_UNROLL(4)
            for (std::size_t j = degree - 1; j > 0; --j)
              sum[v][j] = hn::MulAdd(t, sum[v][j - 1], sum[v][j]);
            sum[v][0] = hn::Add(sum[v][0], t);
          }
        }
      }
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < vectors; ++v)
        hn::Store(sum[v][degree - 1], d, out + r * unit_columns + c + v * lanes);
    }
  }
}

template <class T>
void reduce_over_entries(const Reduction& reduction, const Tile<T>& tile, T* out) {
  const TileSource<T>& x = tile.sources[reduction.x];
  const TileSource<T>& z = tile.sources[reduction.z];
  const auto sum = [&](const auto& add, T start) {
    reduce_sparse<T>(add, x, z, tile.rows, start, AsTheyAre(), out);
  };
  switch (reduction.kind) {
    case Reduce::dot:
      return sum(Dot(), 0);
    case Reduce::absolute_difference:
      return sum(AbsoluteOverlap(), 0);
    case Reduce::minimum:
      return sum(MinimumOverlap(), 0);
    case Reduce::maximum:
      return sum(MaximumOverlap(), 0);
    case Reduce::chi:
      return sum(ChiOverlap(), 0);
    case Reduce::product:
      if (reduction.scale == 1) return sum(OnePlusProduct(), 1);
      return sum(ShiftedProduct{1, reduction.scale}, 1);
    case Reduce::symmetric:
      if (reduction.degree == 2) return reduce_symmetric_sparse<T, 2>(x, z, tile.rows, out);
      if (reduction.degree == 3) return reduce_symmetric_sparse<T, 3>(x, z, tile.rows, out);
      return reduce_symmetric_sparse<T, 4>(x, z, tile.rows, out);
    case Reduce::squared_difference:
      std::abort();  // sparse plans take it from dot products
  }
}

template <class T>
T squared_norm(const T* values, std::size_t count) {
  const Tag<T> d;
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < count; ++i) {
    const auto v = hn::Set(d, values[i]);
    sum = hn::MulAdd(v, v, sum);
  }
  return hn::GetLane(sum);
}

template <class T>
void reduce(const Reduction& reduction, const Tile<T>& tile, T* out) {
  const TileSource<T>& x = tile.sources[reduction.x];
  const TileSource<T>& z = tile.sources[reduction.z];
  if (x.entries != nullptr) return reduce_over_entries(reduction, tile, out);
  const auto dense = [&](const auto& add, T start) {
    reduce_dense<T>(add, x, z, tile.rows, tile.length, start, AsTheyAre(), out, tile.length);
  };
  switch (reduction.kind) {
    case Reduce::dot:
      return dense(Dot(), 0);
    case Reduce::squared_difference:
      return dense(SquaredDifference(), 0);
    case Reduce::absolute_difference:
      return dense(AbsoluteDifference(), 0);
    case Reduce::minimum:
      return dense(Minimum(), 0);
    case Reduce::maximum:
      return dense(Maximum(), 0);
    case Reduce::chi:
      return dense(Chi(), 0);
    case Reduce::product:
      if (reduction.shift == 1 && reduction.scale == 1) return dense(OnePlusProduct(), 1);
      return dense(ShiftedProduct{reduction.shift, reduction.scale}, 1);
    case Reduce::symmetric:
      if (reduction.degree == 2) return reduce_symmetric<T, 2>(x, z, tile.rows, tile.length, out);
      if (reduction.degree == 3) return reduce_symmetric<T, 3>(x, z, tile.rows, tile.length, out);
      return reduce_symmetric<T, 4>(x, z, tile.rows, tile.length, out);
  }
}

// What is left to do of the sums of so many rows and columns.
template <class T, class Finish>
HWY_NOINLINE void finish_rest(const Finish& finish, std::size_t rows, std::size_t columns,
                              T* HWY_RESTRICT values, std::size_t length) {
  const Tag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  const auto finish_at = [&](T* at) HWY_ATTR {
    hn::Vec<Tag<T>> v[] = {hn::Load(d, at)};
    finish.rest(d, v);
    hn::Store(v[0], d, at);
  };
  if (columns == length) {
    for (std::size_t i = 0; i < rows * length; i += lanes) finish_at(values + i);
  } else {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; c += lanes) finish_at(values + r * length + c);
  }
}

// Sums and what is made of them in one go: those of the commonest kernels. Of so many columns, and
// perhaps some more.
template <class T, class Add, class Finish>
void reduce_and_finish(const Add& add, const Reduction& reduction, const Tile<T>& tile,
                       std::size_t columns, const Finish& finish, T* out) {
  const TileSource<T>& x = tile.sources[reduction.x];
  const TileSource<T>& z = tile.sources[reduction.z];
  if (x.entries == nullptr) {
    reduce_dense<T>(add, x, z, tile.rows, columns, T(0), finish, out, tile.length);
  } else {
    reduce_sparse<T>(add, x, z, tile.rows, T(0), finish, out);
  }
  constexpr bool more = requires(hn::Vec<Tag<T>>(&v)[1]) { finish.rest(Tag<T>(), v); };
  if constexpr (more) finish_rest(finish, tile.rows, columns, out, tile.length);
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
