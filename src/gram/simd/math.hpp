// Elementary functions on vectors. Included once per instruction set: no include guard.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays,modernize-loop-convert)

// As many vectors as leave registers for what is computed of each.
#if HWY_TARGET <= HWY_AVX3
inline constexpr std::size_t vectors_at_once = 4;
#else
inline constexpr std::size_t vectors_at_once = 2;
#endif

inline constexpr double log2_e = 1.4426950408889634;

// max(bound, v) and min(bound, v), where what is not a number stays so: the second argument
// survives in all instructions, but the plain ones take the other.
template <class V>
HWY_INLINE V no_less(V bound, V v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(v, bound), bound, v);
#else
  return hn::Max(bound, v);
#endif
}
template <class V>
HWY_INLINE V no_more(V bound, V v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(bound, v), bound, v);
#else
  return hn::Min(bound, v);
#endif
}

// 2^r of |r| <= 1/2, of several vectors side by side, since each waits for itself most of the time.
// In doubles 2^r = exp(r log 2) by its Taylor polynomial; in floats by 1 + r p(r), with p the
// polynomial of degree 4 that makes the largest relative error smallest (9.2e-8).
template <class D, class V, std::size_t count>
HWY_INLINE void powers_near_one(D d, const V (&r)[count], V (&p)[count]) {
  using T = hn::TFromD<D>;
  constexpr double best[] = {1,
                             0.6931469775987169,
                             0.2402224208463496,
                             0.05550733743574346,
                             0.00967151268815833,
                             0.0013264727247133848};
  // (log 2)^k / k!
  constexpr double taylor[] = {1,
                               0.6931471805599453,
                               0.24022650695910072,
                               0.05550410866482158,
                               0.009618129107628477,
                               0.0013333558146428443,
                               0.0001540353039338161,
                               1.5252733804059841e-05,
                               1.321548679014431e-06,
                               1.01780860092397e-07,
                               7.054911620801123e-09,
                               4.4455382718708116e-10,
                               2.5678435993488206e-11,
                               1.3691488853904128e-12};
  constexpr int degree = sizeof(T) == 4 ? 5 : 13;
  const auto term = [&](int k) HWY_ATTR {
    return hn::Set(d, static_cast<T>(sizeof(T) == 4 ? best[k] : taylor[k]));
  };
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) p[j] = term(degree);
  HWY_UNROLL(13)
  for (int k = degree - 1; k >= 0; --k) {
    HWY_UNROLL(4)
    for (std::size_t j = 0; j < count; ++j) p[j] = hn::MulAdd(p[j], r[j], term(k));
  }
}

// Whether floats have instructions of their own for 2^x: x less the whole number below it, and
// numbers times 2 to that whole number.
#if HWY_TARGET <= HWY_AVX3
template <class D>
inline constexpr bool scales_by_powers = sizeof(hn::TFromD<D>) == 4;

// x, less the whole number below it. From a register: where it reads memory itself, Zen 4 waits for
// the last use of the register that it writes, and so each vector for the one before.
template <class V>
HWY_INLINE V behind_the_point(V x) {
  constexpr int downwards = 9;  // to whole numbers, and no exception for what is not exact
  asm("" : "+v"(x.raw));
  return V{_mm512_reduce_ps(x.raw, downwards)};
}

// 2^x of any x, in place: of x = n + r with 0 <= r < 1. Below the smallest normal number it is 0:
// what lies between would slow down whoever computes with it. What is not a number stays so. 2^r is
// a polynomial with 1 and 2 at the ends, exactly, that is off by at most 9.3e-8 before rounding.
template <class D, class V, std::size_t count>
HWY_INLINE void powers_by_scaling(D d, V (&x)[count]) {
  constexpr float best[] = {1,
                            0.6931517124176025F,
                            0.2401593029499054F,
                            0.055818699300289154F,
                            0.008990965783596039F,
                            0.001879330724477768F};
  V r[count];
  V p[count];
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) r[j] = behind_the_point(x[j]);
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) p[j] = hn::Set(d, best[5]);
  HWY_UNROLL(5)
  for (int k = 4; k >= 0; --k) {
    HWY_UNROLL(4)
    for (std::size_t j = 0; j < count; ++j) p[j] = hn::MulAdd(p[j], r[j], hn::Set(d, best[k]));
  }
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) {
    const auto normal = _mm512_cmp_ps_mask(x[j].raw, hn::Set(d, -126.0F).raw, _CMP_NLT_UQ);
    x[j] = V{_mm512_maskz_scalef_ps(normal, p[j].raw, x[j].raw)};
  }
}
#else
template <class D>
inline constexpr bool scales_by_powers = false;
template <class D, class V>
void powers_by_scaling(D, V&) {}
#endif

// 2^x of an x from -127 to 127 (-1023 to 1023 in doubles), in place: of x = n + r with |r| <= 1/2
// it is the polynomial at r with n added to its exponent. At the lower end that is 2^0 with the
// exponent of 0: the number 0, and within 1 of it some number below the smallest normal one.
template <class D, class V, std::size_t count>
HWY_INLINE void powers_in_range(D d, V (&x)[count]) {
  if constexpr (scales_by_powers<D>) return powers_by_scaling(d, x);
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  constexpr bool single = sizeof(T) == 4;
  // Added to a number so large that its last bit is a whole one, x is rounded to n, and the last
  // bits are those of n.
  const V shift = hn::Set(d, static_cast<T>(single ? 12582912.0 : 6755399441055744.0));
  V shifted[count];
  V r[count];
  V p[count];
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) shifted[j] = hn::Add(x[j], shift);
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) r[j] = hn::Sub(x[j], hn::Sub(shifted[j], shift));
  powers_near_one(d, r, p);
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j)
    x[j] =
        hn::BitCast(d, hn::Add(hn::BitCast(di, p[j]),
                               hn::ShiftLeft < single ? 23 : 52 > (hn::BitCast(di, shifted[j]))));
}

// x, held above the lower end of that range. What is not a number stays so, here and as a power.
template <class D, class V>
HWY_INLINE V held_above(D d, V x) {
  using T = hn::TFromD<D>;
  if constexpr (scales_by_powers<D>) return x;  // they take any
  return no_less(hn::Set(d, static_cast<T>(sizeof(T) == 4 ? -127 : -1023)), x);
}

// 2^x of any x, to an ulp or two. Below the smallest normal number it is 0: what lies between would
// slow down whoever computes with it. What is not a number stays so.
template <class D, class V, std::size_t count>
HWY_INLINE void powers_of_two(D d, V (&x)[count]) {
  if constexpr (scales_by_powers<D>) return powers_by_scaling(d, x);
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  constexpr bool single = sizeof(T) == 4;
  constexpr int mantissa = single ? 23 : 52;
  // At the upper end the exponent's bits are those of infinity.
  const V low = hn::Set(d, static_cast<T>(single ? -126 : -1022));
  const V high = hn::Set(d, static_cast<T>(single ? 128 : 1024));
  // As above, with the bias of exponents, since n is to become a number of its own.
  constexpr double whole = single ? 12582912.0 : 6755399441055744.0;
  constexpr double bias = single ? 127 : 1023;
  const V shift = hn::Set(d, static_cast<T>(whole + bias));
  V shifted[count];
  V r[count];
  V p[count];
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) x[j] = no_more(high, x[j]);
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) shifted[j] = hn::Add(x[j], shift);
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) r[j] = hn::Sub(x[j], hn::Sub(shifted[j], shift));
  powers_near_one(d, r, p);
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j)
    p[j] = hn::Mul(p[j], hn::BitCast(d, hn::ShiftLeft<mantissa>(hn::BitCast(di, shifted[j]))));
  HWY_UNROLL(4)
  for (std::size_t j = 0; j < count; ++j) x[j] = hn::IfThenZeroElse(hn::Lt(x[j], low), p[j]);
}

// exp, likewise, where x is not known to be a multiple of something: x = n log 2 + r with log 2 in
// two parts, the first one with zeros at the end, so that n times it is exact.
template <class D, class V>
HWY_INLINE V exponential(D d, V x) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  constexpr bool single = sizeof(T) == 4;
  constexpr int mantissa = single ? 23 : 52;
  const V low = hn::Set(d, static_cast<T>(single ? -87.33654 : -708.396));
  const V high = hn::Set(d, static_cast<T>(single ? 88.72284 : 709.782712893384));
  const V shift = hn::Set(d, static_cast<T>(single ? 12582912.0 + 127 : 6755399441055744.0 + 1023));
  const V bounded = no_more(high, x);
  const V shifted = hn::MulAdd(bounded, hn::Set(d, static_cast<T>(log2_e)), shift);
  const V n = hn::Sub(shifted, shift);
  const V r1 = hn::NegMulAdd(
      n, hn::Set(d, static_cast<T>(single ? 0.693359375 : 0.6931471803691238)), bounded);
  const V r = hn::NegMulAdd(
      n, hn::Set(d, static_cast<T>(single ? -2.12194440e-4 : 1.9082149292705877e-10)), r1);
  constexpr int degree = single ? 6 : 13;
  constexpr double c[] = {1.0,
                          1.0,
                          1.0 / 2,
                          1.0 / 6,
                          1.0 / 24,
                          1.0 / 120,
                          1.0 / 720,
                          1.0 / 5040,
                          1.0 / 40320,
                          1.0 / 362880,
                          1.0 / 3628800,
                          1.0 / 39916800,
                          1.0 / 479001600,
                          1.0 / 6227020800};
  V p = hn::Set(d, static_cast<T>(c[degree]));
  HWY_UNROLL(13)
  for (int k = degree - 1; k >= 0; --k) p = hn::MulAdd(p, r, hn::Set(d, static_cast<T>(c[k])));
  const V scale = hn::BitCast(d, hn::ShiftLeft<mantissa>(hn::BitCast(di, shifted)));
  return hn::IfThenZeroElse(hn::Lt(x, low), hn::Mul(p, scale));
}

// The instruction for square roots takes longer than a guess of 14 bits and Newton's step, which
// doubles them.
template <class D, class V>
HWY_INLINE V square_root(D d, V x) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const V guess{_mm512_rsqrt14_ps(x.raw)};
    const V root = hn::Mul(x, guess);
    const V rest = hn::NegMulAdd(root, root, x);
    const V better = hn::MulAdd(rest, hn::Mul(guess, hn::Set(d, 0.5F)), root);
    constexpr int zero_or_infinite = 0x0e;
    const auto itself = _mm512_fpclass_ps_mask(x.raw, zero_or_infinite);
    return V{_mm512_mask_mov_ps(better.raw, itself, x.raw)};
  }
#endif
  (void)d;
  return hn::Sqrt(x);
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
  const auto inside = hn::Le(hn::Abs(x), room);
  const V v = hn::Asin(d, hn::Max(hn::Min(x, one), hn::Neg(one)));
  return hn::IfThenElse(inside, v, hn::Set(d, std::numeric_limits<T>::quiet_NaN()));
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
