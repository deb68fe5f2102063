// See svm/float_passes.hpp. Included once per instruction set: no include guard.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::support::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most pass_step lanes, so that sizes are whole numbers of vectors.
using Floats = hn::CappedTag<float, pass_step>;
using F32 = hn::Vec<Floats>;

// 0, 1, 2, …: read, since making it takes as long as a tenth of a pass.
HWY_INLINE F32 numbers_of_lanes() {
  alignas(64) static constexpr std::array<float, pass_step> numbers{0, 1, 2,  3,  4,  5,  6,  7,
                                                                    8, 9, 10, 11, 12, 13, 14, 15};
  return hn::Load(Floats(), numbers.data());
}

// Of the lanes with this value, the least index.
HWY_INLINE std::uint32_t first_with(F32 values, F32 indices, float value) {
  const Floats d;
  const auto same = hn::Eq(values, hn::Set(d, value));
  const F32 far = hn::Set(d, std::numeric_limits<float>::max());
  return static_cast<std::uint32_t>(
      hn::GetLane(hn::MinOfLanes(d, hn::IfThenElse(same, indices, far))));
}

// NOLINTNEXTLINE(misc-definitions-in-headers): once per instruction set
HWY_NOINLINE FloatExtreme move_floats(float* F, const float* up, const float* row_i,
                                      const float* row_j, float t, std::size_t size) {
  const Floats d;
  F32 at = numbers_of_lanes();
  const F32 step = hn::Set(d, static_cast<float>(hn::Lanes(d)));
  const F32 by = hn::Set(d, t);
  F32 least = hn::Set(d, std::numeric_limits<float>::infinity());
  F32 where = hn::Zero(d);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const F32 v = hn::MulAdd(by, hn::Sub(hn::LoadU(d, row_i + i), hn::LoadU(d, row_j + i)),
                             hn::LoadU(d, F + i));
    hn::StoreU(v, d, F + i);
    const F32 there = hn::Add(v, hn::LoadU(d, up + i));
    where = hn::IfThenElse(hn::Lt(there, least), at, where);
    least = hn::Min(there, least);
    at = hn::Add(at, step);
  }
  FloatExtreme found;
  found.value = hn::GetLane(hn::MinOfLanes(d, least));
  if (found.value < std::numeric_limits<float>::infinity())
    found.index = first_with(least, where, found.value);
  return found;
}

// NOLINTNEXTLINE(misc-definitions-in-headers): once per instruction set
HWY_NOINLINE FloatPartner float_partner(const float* F, const float* low, const float* row,
                                        const float* diagonal, float F_i, float K_ii,
                                        std::size_t size) {
  const Floats d;
  F32 at = numbers_of_lanes();
  const F32 step = hn::Set(d, static_cast<float>(hn::Lanes(d)));
  const F32 from = hn::Set(d, F_i);
  const F32 own = hn::Set(d, K_ii);
  const F32 minus_two = hn::Set(d, -2.0F);
  const F32 flat = hn::Set(d, 1e-12F);
  F32 gain = hn::Zero(d);
  F32 where = hn::Zero(d);
  F32 largest = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const F32 there = hn::Add(hn::LoadU(d, F + i), hn::LoadU(d, low + i));
    largest = hn::Max(largest, there);
    const F32 b = hn::Max(hn::Sub(there, from), hn::Zero(d));
    const F32 a =
        hn::MulAdd(minus_two, hn::LoadU(d, row + i), hn::Add(own, hn::LoadU(d, diagonal + i)));
    const F32 g = hn::Div(hn::Mul(b, b), hn::Max(a, flat));
    where = hn::IfThenElse(hn::Gt(g, gain), at, where);
    gain = hn::Max(g, gain);
    at = hn::Add(at, step);
  }
  FloatPartner found;
  found.largest = hn::GetLane(hn::MaxOfLanes(d, largest));
  found.gain.value = hn::GetLane(hn::MaxOfLanes(d, gain));
  if (found.gain.value > 0) found.gain.index = first_with(gain, where, found.gain.value);
  return found;
}

// NOLINTNEXTLINE(misc-definitions-in-headers): once per instruction set
HWY_NOINLINE std::size_t violating(const float* F, const float* up, const float* low,
                                   const float* aside, float level, std::size_t size,
                                   FloatExtreme* found) {
  const Floats d;
  F32 at = numbers_of_lanes();
  const F32 step = hn::Set(d, static_cast<float>(hn::Lanes(d)));
  const F32 middle = hn::Set(d, level);
  F32 most = hn::Zero(d);
  F32 where = hn::Zero(d);
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    const F32 f = hn::LoadU(d, F + i);
    const F32 grows = hn::Sub(middle, hn::Add(f, hn::LoadU(d, up + i)));
    const F32 shrinks = hn::Sub(hn::Add(f, hn::LoadU(d, low + i)), middle);
    const F32 by = hn::Sub(hn::Max(grows, shrinks), hn::LoadU(d, aside + i));
    where = hn::IfThenElse(hn::Gt(by, most), at, where);
    most = hn::Max(by, most);
    at = hn::Add(at, step);
  }
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): vectors in memory
  HWY_ALIGN float values[pass_step], indices[pass_step];
  hn::Store(most, d, values);
  hn::Store(where, d, indices);
  std::size_t count = 0;
  for (std::size_t l = 0; l < hn::Lanes(d); ++l)
    if (values[l] > 0) found[count++] = {values[l], static_cast<std::uint32_t>(indices[l])};
  return count;
}

}  // namespace mercer::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
