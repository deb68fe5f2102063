// Matérn functions of any smoothness on vectors. Included once per instruction set: no include
// guard.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::gram::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays)

// The coefficients of as many pieces as there are lanes come row by row and leave lane by lane:
// on most machines faster than gathering them one by one. Lanes outside of the pieces, where M is
// not nothing, go number by number: `table` says M(t).
template <class D, class V = hn::Vec<D>, class T = hn::TFromD<D>>
HWY_INLINE V matern_of(D d, const MaternPieces<T>& pieces, const MaternTable& table, V t) {
  const hn::RebindToSigned<D> di;
  using I = hn::TFromD<decltype(di)>;
  constexpr std::size_t n = MaternPieces<T>::coefficients;
  constexpr std::size_t lanes = hn::MaxLanes(D());
  const V low = hn::Set(d, pieces.low);
  const auto covered = hn::And(hn::Ge(t, low), hn::Lt(t, hn::Set(d, pieces.high)));
  const auto nothing = hn::Ge(t, hn::Set(d, pieces.zero));
  const V inside = hn::IfThenElse(covered, t, low);
  const auto bits = hn::BitCast(di, inside);
  HWY_ALIGN I piece[lanes];
  hn::Store(
      hn::Sub(hn::ShiftRightSame(bits, pieces.shift), hn::Set(di, static_cast<I>(pieces.first))),
      di, piece);
  HWY_ALIGN T rows[n / 4][4 * lanes];
  for (std::size_t i = 0; i < lanes; ++i) {
    const T* from = pieces.c.data() + static_cast<std::size_t>(piece[i]) * n;
    for (std::size_t part = 0; part < n / 4; ++part)
      hwy::CopyBytes<4 * sizeof(T)>(from + 4 * part, rows[part] + 4 * i);
  }
  // 1 + (where in the piece, from 0 to 1), put together of bits; u = 2 of that - 3.
  constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  const auto fraction =
      hn::And(hn::ShiftLeftSame(bits, pieces.bits), hn::Set(di, (I{1} << mantissa) - 1));
  const V one = hn::Set(d, static_cast<T>(1));
  const V u = hn::MulAdd(hn::Set(d, static_cast<T>(2)),
                         hn::BitCast(d, hn::Or(fraction, hn::BitCast(di, one))),
                         hn::Set(d, static_cast<T>(-3)));
  V c[n];
  for (std::size_t part = 0; part < n / 4; ++part)
    hn::LoadInterleaved4(d, rows[part], c[4 * part], c[4 * part + 1], c[4 * part + 2],
                         c[4 * part + 3]);
  V p = c[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) p = hn::MulAdd(p, u, c[k]);
  // exp(-t) by halves: it may be nothing where the product is not.
  const V half = exponential(d, hn::Mul(hn::Set(d, static_cast<T>(-0.5)), inside));
  const V result = hn::IfThenZeroElse(nothing, hn::Mul(hn::Mul(p, half), half));
  if (HWY_LIKELY(hn::AllTrue(d, hn::Or(covered, nothing)))) return result;
  HWY_ALIGN T at[lanes];
  HWY_ALIGN T values[lanes];
  hn::Store(t, d, at);
  hn::Store(result, d, values);
  for (std::size_t i = 0; i < lanes; ++i)
    if (!(at[i] >= pieces.low && at[i] < pieces.high) && !(at[i] >= pieces.zero))
      values[i] = static_cast<T>(table(static_cast<double>(at[i])));
  return hn::Load(d, values);
}

// NOLINTEND(modernize-avoid-c-arrays)

}  // namespace mercer::gram::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
