#include "base/instructions.hpp"

#include <hwy/detect_targets.h>

#include <cctype>
#include <cstdlib>
#include <mercer/error.hpp>
#include <string_view>
#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace mercer {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view s, std::size_t& i) {
    while (i < s.size() && (s[i] == '-' || s[i] == '_')) ++i;
    return i < s.size() ? std::tolower(static_cast<unsigned char>(s[i++])) : 0;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    const int c = next(a, i);
    if (c != next(b, j)) return false;
    if (c == 0) return true;
  }
}

std::size_t find(std::span<const std::string> names, const std::string& wanted,
                 const std::string& asked) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (same_name(names[i], wanted)) return i;
    all += (all.empty() ? "" : ", ") + names[i];
  }
  throw Error(asked + ": there is no such instruction set here; this machine has " + all);
}

}  // namespace

std::string instructions_name(const std::string& target) {
  if (target == "AVX3") return "AVX-512";
  if (target == "SCALAR" || target == "EMU128") return "scalar";
  return target;
}

#if HWY_ARCH_X86

namespace {

// A bit of the third number that this leaf of CPUID gives.
bool has_bit(unsigned leaf, unsigned bit) {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && ((c >> bit) & 1U) != 0;
}

bool runs_sse4() {
  return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
         __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
}

// Wide registers count where the operating system keeps them, too: the compiler asks for that.
bool runs_avx2() {
  constexpr unsigned half_floats = 29;
  constexpr unsigned leading_zeros = 5;
  return runs_sse4() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         has_bit(1, half_floats) && has_bit(0x80000001U, leading_zeros);
}

bool runs_avx512() {
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}

}  // namespace

bool runs_here(std::int64_t target) {
  if (target == HWY_STATIC_TARGET) return true;
  switch (target) {
    case HWY_SSE4:
      return runs_sse4();
    case HWY_AVX2:
      return runs_avx2();
    case HWY_AVX3:
      return runs_avx512();
    default:
      return false;  // nothing is compiled for the others
  }
}

#else

// What this was compiled for, and nothing wider.
bool runs_here(std::int64_t target) { return target == HWY_STATIC_TARGET; }

#endif

std::size_t find_instructions(std::span<const std::string> names, const std::string& wanted) {
  if (!wanted.empty()) return find(names, wanted, wanted);
  const char* asked = std::getenv("MERCER_ISA");  // NOLINT(concurrency-mt-unsafe): never set here
  if (asked == nullptr || *asked == '\0') return 0;
  return find(names, asked, "MERCER_ISA=" + std::string(asked));
}

}  // namespace mercer
