#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "svm/passes.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#define HWY_COMPILE_ALL_ATTAINABLE

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// What must not be included inside of a target's region.
#include <cstddef>
#include <type_traits>

#include "base/all_instructions.hpp"
#include "base/instructions.hpp"
#include "svm/passes.hpp"

#include "svm/simd/passes.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::support::HWY_NAMESPACE {

Passes<float> passes_of_float() { return make_passes<float>(); }
Passes<double> passes_of_double() { return make_passes<double>(); }

}  // namespace mercer::support::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::support {

template <>
const std::vector<Passes<float>>& all_passes<float>() {
  static const auto all = MERCER_OF_ALL_INSTRUCTIONS(Passes<float>, passes_of_float);
  return all;
}
template <>
const std::vector<Passes<double>>& all_passes<double>() {
  static const auto all = MERCER_OF_ALL_INSTRUCTIONS(Passes<double>, passes_of_double);
  return all;
}

template <class T>
const Passes<T>& passes(const std::string& name) {
  static const Passes<T>& in_use = instructions_in(all_passes<T>());
  return name.empty() ? in_use : instructions_in(all_passes<T>(), name);
}
template const Passes<float>& passes<float>(const std::string&);
template const Passes<double>& passes<double>(const std::string&);

}  // namespace mercer::support
#endif
