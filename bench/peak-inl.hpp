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
  // Chains that begin alike are alike, and a compiler may keep one of them. They have names, since
  // an array is not sure to be kept in registers.
  const auto begin = [&](int chain) HWY_ATTR {
    return hn::Set(d, result + static_cast<T>(0.125) * static_cast<T>(chain));
  };
  V s0 = begin(0), s1 = begin(1), s2 = begin(2), s3 = begin(3), s4 = begin(4), s5 = begin(5);
  V t0 = begin(6), t1 = begin(7), t2 = begin(8), t3 = begin(9), t4 = begin(10), t5 = begin(11);
  const V a = hn::Set(d, static_cast<T>(0.999));
  const V b = hn::Set(d, static_cast<T>(0.001));
  for (std::size_t r = 0; r < rounds; ++r) {
    s0 = hn::MulAdd(s0, a, b);
    s1 = hn::MulAdd(s1, a, b);
    s2 = hn::MulAdd(s2, a, b);
    s3 = hn::MulAdd(s3, a, b);
    s4 = hn::MulAdd(s4, a, b);
    s5 = hn::MulAdd(s5, a, b);
    t0 = hn::MulAdd(t0, a, b);
    t1 = hn::MulAdd(t1, a, b);
    t2 = hn::MulAdd(t2, a, b);
    t3 = hn::MulAdd(t3, a, b);
    t4 = hn::MulAdd(t4, a, b);
    t5 = hn::MulAdd(t5, a, b);
  }
  const V s = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(s4, s5));
  const V t = hn::Add(hn::Add(hn::Add(t0, t1), hn::Add(t2, t3)), hn::Add(t4, t5));
  result = hn::GetLane(hn::Add(s, t));
  return 12.0 * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace mercer::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
