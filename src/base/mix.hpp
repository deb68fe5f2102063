// A number whose bits all depend on all bits of another: one step of splitmix64.
#pragma once

#include <cstdint>

namespace mercer {

inline constexpr std::uint64_t golden_step = 0x9e3779b97f4a7c15U;

constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace mercer
