#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numeric/micro.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#define HWY_COMPILE_ALL_ATTAINABLE

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// What must not be included inside of a target's region.
#include <cstddef>

#include "base/all_instructions.hpp"
#include "base/instructions.hpp"
#include "numeric/micro.hpp"

#include "numeric/simd/micro.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::numeric::HWY_NAMESPACE {

Micro<float> micro_of_float() { return make_micro<float>(); }
Micro<double> micro_of_double() { return make_micro<double>(); }

}  // namespace mercer::numeric::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::numeric {

template <>
const std::vector<Micro<float>>& micros<float>() {
  static const auto all = MERCER_OF_ALL_INSTRUCTIONS(Micro<float>, micro_of_float);
  return all;
}
template <>
const std::vector<Micro<double>>& micros<double>() {
  static const auto all = MERCER_OF_ALL_INSTRUCTIONS(Micro<double>, micro_of_double);
  return all;
}

template <class T>
const Micro<T>& micro(const std::string& name) {
  static const Micro<T>& in_use = instructions_in(micros<T>());
  return name.empty() ? in_use : instructions_in(micros<T>(), name);
}
template const Micro<float>& micro<float>(const std::string&);
template const Micro<double>& micro<double>(const std::string&);

}  // namespace mercer::numeric
#endif
