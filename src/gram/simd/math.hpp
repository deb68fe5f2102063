// Elementary functions on vectors. Included once per instruction set: no include guard.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

// exp to an ulp or two: x = n log 2 + r with |r| <= log(2)/2, exp(r) by its Taylor polynomial.
// What is below the smallest normal number is 0.
template <class D, class V>
HWY_INLINE V exponential(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  constexpr bool single = sizeof(T) == 4;
  const V low = hn::Set(d, static_cast<T>(single ? -87.33654 : -708.396));
  const V high = hn::Set(d, static_cast<T>(single ? 88.72284 : 709.782712893384));
  // Added to a number so large that its last bit is a whole one, x / log 2 is rounded to n, and the
  // last bits are those of n and of the bias of exponents.
  constexpr int mantissa = single ? 23 : 52;
  const V shift = hn::Set(d, static_cast<T>(single ? 12582912.0 + 127 : 6755399441055744.0 + 1023));
  const V bounded = hn::Min(x, high);
  const V shifted = hn::MulAdd(bounded, hn::Set(d, static_cast<T>(1.4426950408889634)), shift);
  const V n = hn::Sub(shifted, shift);
  // log 2 in two parts, the first one with zeros at the end, so that n times it is exact
  const V r1 = hn::NegMulAdd(
      n, hn::Set(d, static_cast<T>(single ? 0.693359375 : 0.6931471803691238)), bounded);
  const V r = hn::NegMulAdd(
      n, hn::Set(d, static_cast<T>(single ? -2.12194440e-4 : 1.9082149292705877e-10)), r1);
  V p;
  if constexpr (single) {
    p = hn::Set(d, static_cast<T>(1.0 / 720));
    p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(1.0 / 120)));
    p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(1.0 / 24)));
    p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(1.0 / 6)));
  } else {
    p = hn::Set(d, static_cast<T>(1.0 / 6227020800.0));
    constexpr T c[] = {T(1.0 / 479001600), T(1.0 / 39916800), T(1.0 / 3628800), T(1.0 / 362880),
                       T(1.0 / 40320),     T(1.0 / 5040),     T(1.0 / 720),     T(1.0 / 120),
                       T(1.0 / 24),        T(1.0 / 6)};
    HWY_UNROLL(10)
    for (const T v : c) p = hn::MulAdd(p, r, hn::Set(d, v));
  }
  p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(0.5)));
  p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(1)));
  p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(1)));
  // 2^n by the exponent's bits
  const V scale = hn::BitCast(d, hn::ShiftLeft<mantissa>(hn::BitCast(di, shifted)));
  return hn::IfThenZeroElse(hn::Lt(x, low), hn::Mul(p, scale));
}

template <class D, class V>
HWY_INLINE V natural_logarithm(D d, V x) {
  return hn::Log(d, x);
}

// Highway's sine and cosine hold up to 39000; beyond, one by one.
template <class D, class V, class Fast, class Slow>
HWY_INLINE V periodic(D d, V x, const Fast& fast, const Slow& slow) {
  using T = hn::TFromD<D>;
  if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, static_cast<T>(30000))))))
    return fast(d, x);
  HWY_ALIGN T lanes[HWY_LANES(T)];
  hn::Store(x, d, lanes);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    lanes[i] = static_cast<T>(slow(static_cast<double>(lanes[i])));
  return hn::Load(d, lanes);
}

template <class D, class V>
HWY_INLINE V cosine(D d, V x) {
  return periodic(
      d, x, [](D dd, V v) HWY_ATTR { return hn::Cos(dd, v); },
      [](double v) { return std::cos(v); });
}

template <class D, class V>
HWY_INLINE V sine(D d, V x) {
  return periodic(
      d, x, [](D dd, V v) HWY_ATTR { return hn::Sin(dd, v); },
      [](double v) { return std::sin(v); });
}

template <class D, class V>
HWY_INLINE V hyperbolic_cosine(D d, V x) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, static_cast<T>(0.5));
  const V e = exponential(d, hn::Abs(x));
  return hn::MulAdd(half, e, hn::Div(half, e));
}

// asin on [-1, 1], with a little room for a cosine that was rounded up.
template <class D, class V>
HWY_INLINE V arc_sine(D d, V x) {
  using T = hn::TFromD<D>;
  const V one = hn::Set(d, static_cast<T>(1));
  const V room = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 1 + 1e-6 : 1 + 1e-14));
  const auto outside = hn::Gt(hn::Abs(x), room);
  const V v = hn::Asin(d, hn::Max(hn::Min(x, one), hn::Neg(one)));
  return hn::IfThenElse(outside, hn::Set(d, std::numeric_limits<T>::quiet_NaN()), v);
}

// x^n for n >= 1 by repeated squaring.
template <class D, class V>
HWY_INLINE V whole_power(D d, V x, std::uint32_t n) {
  V result = hn::Set(d, static_cast<hn::TFromD<D>>(1));
  while (true) {
    if ((n & 1U) != 0) result = hn::Mul(result, x);
    n >>= 1U;
    if (n == 0) return result;
    x = hn::Mul(x, x);
  }
}

// NOLINTEND(modernize-avoid-c-arrays,modernize-loop-convert)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
