// See svm/passes.hpp. Included once per instruction set: no include guard.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::support::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors in registers: NOLINTBEGIN(modernize-avoid-c-arrays)

using Wide = hn::ScalableTag<double>;
using Short = hn::Rebind<float, Wide>;  // as many floats
using W = hn::Vec<Wide>;
using S = hn::Vec<Short>;

HWY_INLINE S as_floats(const float* from) { return hn::LoadU(Short(), from); }
HWY_INLINE S as_floats(const double* from) {
  return hn::DemoteTo(Short(), hn::LoadU(Wide(), from));
}
HWY_INLINE W difference(const float* a, const float* b) {
  return hn::PromoteTo(Wide(), hn::Sub(hn::LoadU(Short(), a), hn::LoadU(Short(), b)));
}
HWY_INLINE W difference(const double* a, const double* b) {
  return hn::Sub(hn::LoadU(Wide(), a), hn::LoadU(Wide(), b));
}
HWY_INLINE W as_doubles(const float* from) {
  return hn::PromoteTo(Wide(), hn::LoadU(Short(), from));
}
HWY_INLINE W as_doubles(const double* from) { return hn::LoadU(Wide(), from); }

// The least value of each lane so far, and where.
struct LeastLanes {
  W value;
  W index;

  HWY_INLINE LeastLanes()
      : value(hn::Set(Wide(), std::numeric_limits<double>::infinity())), index(hn::Zero(Wide())) {}

  HWY_INLINE void take(W v, W at) {
    const auto better = hn::Lt(v, value);
    value = hn::IfThenElse(better, v, value);
    index = hn::IfThenElse(better, at, index);
  }

  HWY_INLINE void into(Least& found) const {
    HWY_ALIGN double values[HWY_LANES(double)];
    HWY_ALIGN double indices[HWY_LANES(double)];
    hn::Store(value, Wide(), values);
    hn::Store(index, Wide(), indices);
    for (std::size_t l = 0; l < hn::Lanes(Wide()); ++l) {
      const auto at = static_cast<std::uint32_t>(indices[l]);
      if (values[l] < found.value ||
          (values[l] == found.value && values[l] < std::numeric_limits<double>::infinity() &&
           at < found.index)) {
        found.value = values[l];
        found.index = at;
      }
    }
  }
};

// The largest gain of each lane so far, where, and the largest F.
struct PartnerLanes {
  S gain;
  S index;
  W largest;

  HWY_INLINE PartnerLanes()
      : gain(hn::Zero(Short())),
        index(hn::Zero(Short())),
        largest(hn::Set(Wide(), -std::numeric_limits<double>::infinity())) {}

  HWY_INLINE void take(S v, S at) {
    const auto better = hn::Gt(v, gain);
    gain = hn::IfThenElse(better, v, gain);
    index = hn::IfThenElse(better, at, index);
  }

  HWY_INLINE void into(Partner& found) const {
    HWY_ALIGN float gains[HWY_LANES(float)];
    HWY_ALIGN float indices[HWY_LANES(float)];
    hn::StoreU(gain, Short(), gains);
    hn::StoreU(index, Short(), indices);
    for (std::size_t l = 0; l < hn::Lanes(Wide()); ++l) {
      const auto at = static_cast<std::uint32_t>(indices[l]);
      if (gains[l] > found.gain || (gains[l] == found.gain && gains[l] > 0 && at < found.index)) {
        found.gain = gains[l];
        found.index = at;
      }
    }
    const double most = hn::GetLane(hn::MaxOfLanes(Wide(), largest));
    if (most > found.largest) found.largest = most;
  }
};

// NOLINTNEXTLINE(misc-definitions-in-headers): once per instruction set
HWY_NOINLINE void least_up(const double* F, const float* up, std::size_t begin, std::size_t end,
                           Least& found) {
  const Wide d;
  LeastLanes lanes;
  W at = hn::Iota(d, static_cast<double>(begin));
  const W step = hn::Set(d, static_cast<double>(hn::Lanes(d)));
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    lanes.take(hn::Add(hn::LoadU(d, F + i), as_doubles(up + i)), at);
    at = hn::Add(at, step);
  }
  lanes.into(found);
}

// Below this K_ii + K_jj - 2 K_ij counts as 0, or is negative for what is no kernel.
inline constexpr float flat = 1e-12F;

template <class T>
HWY_NOINLINE void best_partner(const double* F, const float* low, const T* row, const T* diagonal,
                               double F_i, T K_ii, std::size_t begin, std::size_t end,
                               Partner& found) {
  const Wide d;
  const Short s;
  PartnerLanes lanes;
  S at = hn::Iota(s, static_cast<float>(begin));
  const S step = hn::Set(s, static_cast<float>(hn::Lanes(d)));
  const W from = hn::Set(d, F_i);
  const S own = hn::Set(s, static_cast<float>(K_ii));
  const S minus_two = hn::Set(s, -2.0F);
  const S least = hn::Set(s, flat);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const W there = hn::Add(hn::LoadU(d, F + i), as_doubles(low + i));
    lanes.largest = hn::Max(lanes.largest, there);
    const S b = hn::DemoteTo(s, hn::Max(hn::Sub(there, from), hn::Zero(d)));
    const S a = hn::MulAdd(minus_two, as_floats(row + i), hn::Add(own, as_floats(diagonal + i)));
    lanes.take(hn::Div(hn::Mul(b, b), hn::Max(a, least)), at);
    at = hn::Add(at, step);
  }
  lanes.into(found);
}

template <class T>
HWY_NOINLINE void move_pair(double* F, const float* up, const T* row_i, const T* row_j, double t,
                            std::size_t begin, std::size_t end, Least& found) {
  const Wide d;
  LeastLanes lanes;
  W at = hn::Iota(d, static_cast<double>(begin));
  const W step = hn::Set(d, static_cast<double>(hn::Lanes(d)));
  const W by = hn::Set(d, t);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const W v = hn::MulAdd(by, difference(row_i + i, row_j + i), hn::LoadU(d, F + i));
    hn::StoreU(v, d, F + i);
    lanes.take(hn::Add(v, as_doubles(up + i)), at);
    at = hn::Add(at, step);
  }
  lanes.into(found);
}

template <class T>
HWY_NOINLINE void move_single(double* F, const float* up, const float* low, const T* row,
                              const T* diagonal, double t, std::size_t begin, std::size_t end,
                              Partner& found) {
  const Wide d;
  const Short s;
  PartnerLanes lanes;
  S at = hn::Iota(s, static_cast<float>(begin));
  const S step = hn::Set(s, static_cast<float>(hn::Lanes(d)));
  const S least = hn::Set(s, flat);
  const W by = hn::Set(d, t);
  for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
    const W v = hn::MulAdd(by, as_doubles(row + i), hn::LoadU(d, F + i));
    hn::StoreU(v, d, F + i);
    const W shrinks = hn::Add(v, as_doubles(low + i));
    const W grows = hn::Neg(hn::Add(v, as_doubles(up + i)));
    const W by_how_much = hn::Max(shrinks, grows);
    lanes.largest = hn::Max(lanes.largest, by_how_much);
    const S b = hn::DemoteTo(s, hn::Max(by_how_much, hn::Zero(d)));
    lanes.take(hn::Div(hn::Mul(b, b), hn::Max(as_floats(diagonal + i), least)), at);
    at = hn::Add(at, step);
  }
  lanes.into(found);
}

// NOLINTNEXTLINE(misc-definitions-in-headers): once per instruction set
HWY_NOINLINE void extremes(const double* f, const double* linear, const double* beta,
                           const double* lower, const double* upper, std::size_t count,
                           double& least, double& largest) {
  const Wide d;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  W low = hn::Set(d, infinite);
  W high = hn::Set(d, -infinite);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    const W F = hn::Add(hn::LoadU(d, f + i), hn::LoadU(d, linear + i));
    const W b = hn::LoadU(d, beta + i);
    const auto grows = hn::Lt(b, hn::LoadU(d, upper + i));
    const auto shrinks = hn::Gt(b, hn::LoadU(d, lower + i));
    low = hn::Min(low, hn::IfThenElse(grows, F, hn::Set(d, infinite)));
    high = hn::Max(high, hn::IfThenElse(shrinks, F, hn::Set(d, -infinite)));
  }
  least = hn::GetLane(hn::MinOfLanes(d, low));
  largest = hn::GetLane(hn::MaxOfLanes(d, high));
  for (; i < count; ++i) {
    const double F = f[i] + linear[i];
    if (beta[i] < upper[i] && F < least) least = F;
    if (beta[i] > lower[i] && F > largest) largest = F;
  }
}

// f += Σ_r by[r] rows[r], four rows at a time, so that f is read and written less often.
template <class T>
HWY_NOINLINE void add_rows(double* f, const T* const* rows, const double* by, std::size_t count,
                           std::size_t begin, std::size_t end) {
  const Wide d;
  std::size_t r = 0;
  for (; r + 4 <= count; r += 4) {
    const W b0 = hn::Set(d, by[r]);
    const W b1 = hn::Set(d, by[r + 1]);
    const W b2 = hn::Set(d, by[r + 2]);
    const W b3 = hn::Set(d, by[r + 3]);
    for (std::size_t i = begin; i < end; i += hn::Lanes(d)) {
      W sum = hn::LoadU(d, f + i);
      sum = hn::MulAdd(b0, as_doubles(rows[r] + i), sum);
      sum = hn::MulAdd(b1, as_doubles(rows[r + 1] + i), sum);
      sum = hn::MulAdd(b2, as_doubles(rows[r + 2] + i), sum);
      sum = hn::MulAdd(b3, as_doubles(rows[r + 3] + i), sum);
      hn::StoreU(sum, d, f + i);
    }
  }
  for (; r < count; ++r) {
    const W b = hn::Set(d, by[r]);
    for (std::size_t i = begin; i < end; i += hn::Lanes(d))
      hn::StoreU(hn::MulAdd(b, as_doubles(rows[r] + i), hn::LoadU(d, f + i)), d, f + i);
  }
}

// f += sums, as many as there are lanes.
template <class D>
HWY_INLINE void add_sums(D d, hn::Vec<D> sums, double* f) {
  HWY_ALIGN float values[pass_step];
  hn::Store(sums, d, values);
  for (std::size_t k = 0; k < hn::Lanes(d); k += hn::Lanes(Wide()))
    hn::StoreU(hn::Add(hn::LoadU(Wide(), f + k), as_doubles(values + k)), Wide(), f + k);
}

// Four sums at a time: each waits for its own last product.
// NOLINTNEXTLINE(misc-definitions-in-headers): once per instruction set
HWY_NOINLINE void add_roughly(double* f, const float* const* rows, const float* by,
                              std::size_t count, std::size_t begin, std::size_t end) {
  const hn::CappedTag<float, pass_step> d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr std::size_t at_once = 16;
  for (std::size_t r = 0; r < count; r += at_once) {
    const std::size_t stop = count < r + at_once ? count : r + at_once;
    std::size_t i = begin;
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      auto s0 = hn::Zero(d);
      auto s1 = hn::Zero(d);
      auto s2 = hn::Zero(d);
      auto s3 = hn::Zero(d);
      for (std::size_t q = r; q < stop; ++q) {
        const auto b = hn::Set(d, by[q]);
        const float* row = rows[q] + i;
        s0 = hn::MulAdd(b, hn::LoadU(d, row), s0);
        s1 = hn::MulAdd(b, hn::LoadU(d, row + lanes), s1);
        s2 = hn::MulAdd(b, hn::LoadU(d, row + 2 * lanes), s2);
        s3 = hn::MulAdd(b, hn::LoadU(d, row + 3 * lanes), s3);
      }
      add_sums(d, s0, f + i);
      add_sums(d, s1, f + i + lanes);
      add_sums(d, s2, f + i + 2 * lanes);
      add_sums(d, s3, f + i + 3 * lanes);
    }
    for (; i < end; i += lanes) {
      auto sum = hn::Zero(d);
      for (std::size_t q = r; q < stop; ++q)
        sum = hn::MulAdd(hn::Set(d, by[q]), hn::LoadU(d, rows[q] + i), sum);
      add_sums(d, sum, f + i);
    }
  }
}

template <class T>
Passes<T> make_passes() {
  Passes<T> all{.name = hwy::TargetName(HWY_TARGET),
                .least = least_up,
                .partner = best_partner<T>,
                .move = move_pair<T>,
                .move_one = move_single<T>,
                .extremes = extremes,
                .add_rows = add_rows<T>};
  if constexpr (std::is_same_v<T, float>) all.add_roughly = add_roughly;
  return all;
}

// NOLINTEND(modernize-avoid-c-arrays)

}  // namespace mercer::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
