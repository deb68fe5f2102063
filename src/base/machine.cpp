#include "base/machine.hpp"

#include <algorithm>
#include <thread>

namespace mercer {

std::string instructions_in_use() {
#if defined(__x86_64__)
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "scalar";
#endif
}

std::vector<std::string> instructions_available() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) found.emplace_back("SSE4.2");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.emplace_back("AVX2");
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    found.emplace_back("AVX-512");
#endif
  return found;
}

unsigned hardware_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace mercer
