// See numeric/micro.hpp. Included once per instruction set: no include guard.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::numeric::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

// 24 accumulators of 32 registers, or 12 of 16.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET <= HWY_AVX3
inline constexpr std::size_t micro_vectors = 4;
#else
inline constexpr std::size_t micro_vectors = 2;
#endif
inline constexpr std::size_t micro_rows = 6;

// a(r, k) is what is multiplied.
template <class T, class A>
HWY_INLINE void multiply_with(std::size_t depth, const A& a, const T* HWY_RESTRICT b, T sign,
                              T* HWY_RESTRICT c, std::size_t stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t width = micro_vectors * lanes;
  V sum[micro_rows][micro_vectors];
  HWY_UNROLL(8)
  for (std::size_t r = 0; r < micro_rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < micro_vectors; ++v) sum[r][v] = hn::Zero(d);
    hwy::Prefetch(c + r * stride);
  }
  for (std::size_t k = 0; k < depth; ++k, b += width) {
    V from[micro_vectors];
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < micro_vectors; ++v) from[v] = hn::Load(d, b + v * lanes);
    HWY_UNROLL(8)
    for (std::size_t r = 0; r < micro_rows; ++r) {
      const V one = hn::Set(d, a(r, k));
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < micro_vectors; ++v)
        sum[r][v] = hn::MulAdd(one, from[v], sum[r][v]);
    }
  }
  const V factor = hn::Set(d, sign);
  HWY_UNROLL(8)
  for (std::size_t r = 0; r < micro_rows; ++r) {
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < micro_vectors; ++v) {
      T* to = c + r * stride + v * lanes;
      hn::StoreU(hn::MulAdd(factor, sum[r][v], hn::LoadU(d, to)), d, to);
    }
  }
}

template <class T>
void multiply(std::size_t depth, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b, T sign,
              T* HWY_RESTRICT c, std::size_t stride) {
  multiply_with(
      depth, [a](std::size_t r, std::size_t k) HWY_ATTR { return a[k * micro_rows + r]; }, b, sign,
      c, stride);
}

template <class T>
void multiply_here(std::size_t depth, const T* HWY_RESTRICT a, std::ptrdiff_t row,
                   std::ptrdiff_t column, const T* HWY_RESTRICT b, T sign, T* HWY_RESTRICT c,
                   std::size_t stride) {
  multiply_with(
      depth,
      [a, row, column](std::size_t r, std::size_t k) HWY_ATTR {
        return a[static_cast<std::ptrdiff_t>(r) * row + static_cast<std::ptrdiff_t>(k) * column];
      },
      b, sign, c, stride);
}

template <class T>
void solve(const T* HWY_RESTRICT L, T* HWY_RESTRICT x) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t width = micro_vectors * lanes;
  for (std::size_t j = 0; j < width; j += lanes)
    for (std::size_t r = 0; r < micro_rows; ++r) {
      auto value = hn::Load(d, x + r * width + j);
      for (std::size_t k = 0; k < r; ++k)
        value =
            hn::NegMulAdd(hn::Set(d, L[r * micro_rows + k]), hn::Load(d, x + k * width + j), value);
      hn::Store(hn::Mul(value, hn::Set(d, L[r * micro_rows + r])), d, x + r * width + j);
    }
}

template <class T>
void add_rounded(std::size_t n, const T* HWY_RESTRICT from, double unit, double* HWY_RESTRICT to) {
  const hn::ScalableTag<double> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto whole = hn::Set(d, all_digits * unit);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    hn::Vec<decltype(d)> value;
    if constexpr (std::is_same_v<T, double>) {
      value = hn::LoadU(d, from + j);
    } else {
      value = hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, decltype(d)>(), from + j));
    }
    const auto rounded = hn::Sub(hn::Add(value, whole), whole);
    hn::StoreU(hn::Add(hn::LoadU(d, to + j), rounded), d, to + j);
  }
  for (; j < n; ++j) to[j] += rounded_to(unit, static_cast<double>(from[j]));
}

template <class T>
T dot_and_add(std::size_t n, const T* HWY_RESTRICT a, const T* HWY_RESTRICT v, T x,
              T* HWY_RESTRICT y) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto factor = hn::Set(d, x);
  auto first = hn::Zero(d);
  auto second = hn::Zero(d);
  std::size_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    const auto a0 = hn::LoadU(d, a + j);
    const auto a1 = hn::LoadU(d, a + j + lanes);
    first = hn::MulAdd(a0, hn::LoadU(d, v + j), first);
    second = hn::MulAdd(a1, hn::LoadU(d, v + j + lanes), second);
    hn::StoreU(hn::MulAdd(factor, a0, hn::LoadU(d, y + j)), d, y + j);
    hn::StoreU(hn::MulAdd(factor, a1, hn::LoadU(d, y + j + lanes)), d, y + j + lanes);
  }
  T rest = 0;
  for (; j < n; ++j) {
    rest += a[j] * v[j];
    y[j] += x * a[j];
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(first, second))) + rest;
}

template <class T>
Micro<T> make_micro() {
  return {.name = hwy::TargetName(HWY_TARGET),
          .rows = micro_rows,
          .columns = micro_vectors * hn::MaxLanes(hn::ScalableTag<T>()),
          .multiply = multiply<T>,
          .multiply_here = multiply_here<T>,
          .solve = solve<T>,
          .add_rounded = add_rounded<T>,
          .dot_and_add = dot_and_add<T>};
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
