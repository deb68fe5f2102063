// Instruction sets: the names that people write, and which of them is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mercer {

// As people write it: "AVX3" of Highway is "AVX-512" here.
std::string instructions_name(const std::string& target);

// The place of `wanted` among `names` (in any case, with or without a dash); for an empty one the
// set that the environment's MERCER_ISA names, and without that the first. Throws Error for a name
// that is none of them.
std::size_t find_instructions(std::span<const std::string> names, const std::string& wanted = {});

// The one of `all` that is meant, each of which has a `name`.
template <class Set>
const Set& instructions_in(const std::vector<Set>& all, const std::string& wanted = {}) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& one : all) names.push_back(one.name);
  return all[find_instructions(names, wanted)];
}

// Whether this machine runs what Highway compiles for that one of its targets (HWY_AVX2, ...).
bool runs_here(std::int64_t target);

}  // namespace mercer
