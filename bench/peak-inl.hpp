// The peak of this machine's multiply-adds: chains that never leave the registers. Included once
// per instruction set: no include guard.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mercer::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// `rounds` times 12 vector multiply-adds; returns how many numbers that were.
template <class T>
double multiply_adds(std::size_t rounds, T& result) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V sum[12];  // NOLINT(modernize-avoid-c-arrays): vectors in registers
  // Chains that begin alike are alike, and a compiler may keep one of them.
  T start = result;
  HWY_UNROLL(12)
  for (auto& s : sum) s = hn::Set(d, start += static_cast<T>(0.125));
  const V a = hn::Set(d, static_cast<T>(0.999));
  const V b = hn::Set(d, static_cast<T>(0.001));
  for (std::size_t r = 0; r < rounds; ++r) {
    HWY_UNROLL(12)
    for (auto& s : sum) s = hn::MulAdd(s, a, b);
  }
  V total = sum[0];
  HWY_UNROLL(12)
  for (auto& s : sum) total = hn::Add(total, s);
  result = hn::GetLane(total);
  return 12.0 * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace mercer::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
