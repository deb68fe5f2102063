// What is done with the values of a tile: products with vectors, in double, and ways to memory.
// Included once per instruction set: no include guard.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

inline constexpr std::size_t rows_at_once = 4;

// A vector of doubles.
template <class D, class T>
HWY_INLINE hn::Vec<D> widened(D d, const T* from) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

template <class T>
HWY_INLINE void widen(const T* from, std::size_t count, double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes) hn::Store(widened(d, from + j), d, to + j);
  for (; j < count; ++j) to[j] = static_cast<double>(from[j]);
}

// One column: out[r] += Σ_j values[r][j] V[j]. Rows beyond the last are that one again.
template <class T>
HWY_INLINE void multiply_column(const T* const* values, std::size_t rows, std::size_t columns,
                                const double* V, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const T* at[rows_at_once];
  W sum[rows_at_once][2];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) {
    at[r] = values[HWY_MIN(r, rows - 1)];
    sum[r][0] = sum[r][1] = hn::Zero(d);
  }
  std::size_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    const W first = hn::LoadU(d, V + j);
    const W second = hn::LoadU(d, V + j + lanes);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      sum[r][0] = hn::MulAdd(widened(d, at[r] + j), first, sum[r][0]);
      sum[r][1] = hn::MulAdd(widened(d, at[r] + j + lanes), second, sum[r][1]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    double rest = 0;
    for (std::size_t i = j; i < columns; ++i) rest += static_cast<double>(at[r][i]) * V[i];
    out[r] += hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[r][0], sum[r][1]))) + rest;
  }
}

// `vectors` of lanes next to each other of the columns of V.
template <std::size_t vectors>
HWY_INLINE void multiply_columns(const double (&wide)[rows_at_once][unit_columns], std::size_t rows,
                                 std::size_t columns, const double* V, std::size_t width,
                                 double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  W sum[rows_at_once][vectors];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) HWY_UNROLL(3)
  for (std::size_t v = 0; v < vectors; ++v)
    sum[r][v] = r < rows ? hn::Load(d, out + r * width + v * lanes) : hn::Zero(d);
  for (std::size_t j = 0; j < columns; ++j) {
    W b[vectors];
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < vectors; ++v) b[v] = hn::Load(d, V + j * width + v * lanes);
    HWY_UNROLL(4)
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      const W a = hn::Set(d, wide[r][j]);
      HWY_UNROLL(3)
      for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(a, b[v], sum[r][v]);
    }
  }
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) HWY_UNROLL(3)
  for (std::size_t v = 0; v < vectors; ++v)
    if (r < rows) hn::Store(sum[r][v], d, out + r * width + v * lanes);
}

// See Engine::multiply. Each sum is of the same terms in the same order, however many rows there
// are.
template <class T>
HWY_NOINLINE void multiply_values(const T* const* values, std::size_t rows, std::size_t columns,
                                  const double* V, std::size_t width, double* out) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<double>());
  HWY_ALIGN double wide[rows_at_once][unit_columns] = {};
  for (std::size_t r = 0; r < rows; r += rows_at_once) {
    const std::size_t some = HWY_MIN(rows_at_once, rows - r);
    double* to = out + r * width;
    if (width == 1) {
      multiply_column(values + r, some, columns, V, to);
      continue;
    }
    for (std::size_t i = 0; i < some; ++i) widen(values[r + i], columns, wide[i]);
    std::size_t c = 0;
    for (; c + 3 * lanes <= width; c += 3 * lanes)
      multiply_columns<3>(wide, some, columns, V + c, width, to + c);
    for (; c < width; c += lanes) multiply_columns<1>(wide, some, columns, V + c, width, to + c);
  }
}

// `vectors` of lanes next to each other of the columns of the transposed product: out[j*width + …]
// for all j.
template <std::size_t vectors>
HWY_INLINE void multiply_back_columns(const double (&wide)[rows_at_once][unit_columns],
                                      std::size_t columns, const double* T_values, std::size_t rows,
                                      std::size_t width, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  W t[rows_at_once][vectors];
  HWY_UNROLL(4)
  for (std::size_t r = 0; r < rows_at_once; ++r) HWY_UNROLL(3)
  for (std::size_t v = 0; v < vectors; ++v)
    t[r][v] = r < rows ? hn::Load(d, T_values + r * width + v * lanes) : hn::Zero(d);
  for (std::size_t j = 0; j < columns; ++j) {
    HWY_UNROLL(3)
    for (std::size_t v = 0; v < vectors; ++v) {
      W sum = hn::Load(d, out + j * width + v * lanes);
      HWY_UNROLL(4)
      for (std::size_t r = 0; r < rows_at_once; ++r)
        sum = hn::MulAdd(hn::Set(d, wide[r][j]), t[r][v], sum);
      hn::Store(sum, d, out + j * width + v * lanes);
    }
  }
}

// See Engine::multiply_back. Each sum is of the rows in their order.
template <class T>
HWY_NOINLINE void multiply_values_back(const T* const* values, std::size_t rows,
                                       std::size_t columns, const double* T_values,
                                       std::size_t width, double* out) {
  const hn::ScalableTag<double> d;
  using W = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN double wide[rows_at_once][unit_columns] = {};
  for (std::size_t r = 0; r < rows; r += rows_at_once) {
    const std::size_t some = HWY_MIN(rows_at_once, rows - r);
    const double* from = T_values + r * width;
    if (width == 1) {
      W t[rows_at_once];
      const T* at[rows_at_once];
      HWY_UNROLL(4)
      for (std::size_t i = 0; i < rows_at_once; ++i) {
        t[i] = hn::Set(d, i < some ? from[i] : 0.0);
        at[i] = values[r + HWY_MIN(i, some - 1)];
      }
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) {
        W sum = hn::LoadU(d, out + j);
        HWY_UNROLL(4)
        for (std::size_t i = 0; i < rows_at_once; ++i)
          sum = hn::MulAdd(widened(d, at[i] + j), t[i], sum);
        hn::StoreU(sum, d, out + j);
      }
      for (; j < columns; ++j)
        for (std::size_t i = 0; i < some; ++i) out[j] += static_cast<double>(at[i][j]) * from[i];
      continue;
    }
    for (std::size_t i = 0; i < rows_at_once; ++i) {
      if (i < some) {
        widen(values[r + i], columns, wide[i]);
      } else {
        std::fill_n(wide[i], unit_columns, 0.0);
      }
    }
    std::size_t c = 0;
    for (; c + 3 * lanes <= width; c += 3 * lanes)
      multiply_back_columns<3>(wide, columns, from + c, some, width, out + c);
    for (; c < width; c += lanes)
      multiply_back_columns<1>(wide, columns, from + c, some, width, out + c);
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
// Blocks of 128 bits, each to a row of its own, `apart` from the one before.
template <class D, class V>
HWY_INLINE void store_blocks(D d, V v, hn::TFromD<D>* to, std::size_t apart) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  if constexpr (lanes * sizeof(hn::TFromD<D>) <= 16) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), to, apart);
    store_blocks(half, hn::UpperHalf(half, v), to + lanes / 2 * apart, apart);
  }
}

#endif

// See Engine::transpose. Squares of 128 bits a side, in registers.
template <class T>
HWY_NOINLINE void transpose(const T* from, std::size_t rows, T* to, std::size_t stride) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < unit_columns; ++c) to[c * stride + r] = from[r * unit_columns + c];
#else
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  constexpr std::size_t lanes = hn::MaxLanes(Tag<T>());
  constexpr std::size_t side = 16 / sizeof(T);
  std::size_t r = 0;
  for (; r + side <= rows; r += side)
    for (std::size_t c = 0; c < unit_columns; c += lanes) {
      const T* at = from + r * unit_columns + c;
      T* out = to + c * stride + r;
      if constexpr (side == 2) {
        const V a = hn::Load(d, at);
        const V b = hn::Load(d, at + unit_columns);
        // Column 2 b of block b, and column 2 b + 1.
        store_blocks(d, hn::InterleaveLower(d, a, b), out, stride);
        store_blocks(d, hn::InterleaveUpper(d, a, b), out + stride, stride);
      } else {
        const hn::Repartition<double, Tag<T>> pairs;
        const V a0 = hn::Load(d, at);
        const V a1 = hn::Load(d, at + unit_columns);
        const V a2 = hn::Load(d, at + 2 * unit_columns);
        const V a3 = hn::Load(d, at + 3 * unit_columns);
        const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, a0, a1));
        const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, a2, a3));
        const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, a0, a1));
        const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, a2, a3));
        store_blocks(d, hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), out, stride);
        store_blocks(d, hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), out + stride,
                     stride);
        store_blocks(d, hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)),
                     out + 2 * stride, stride);
        store_blocks(d, hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)),
                     out + 3 * stride, stride);
      }
    }
  for (; r < rows; ++r)
    for (std::size_t c = 0; c < unit_columns; ++c) to[c * stride + r] = from[r * unit_columns + c];
#endif
}

template <class T>
Engine<T> make_engine() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .panel = panel_width<T>,
          .run = run_plan<T>,
          .squared_norm = squared_norm<T>,
          .width = hn::Lanes(hn::ScalableTag<double>()),
          .multiply = multiply_values<T>,
          .multiply_back = multiply_values_back<T>,
          .store_far = store_far<T>,
          .transpose = transpose<T>,
          .flush = flush};
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
