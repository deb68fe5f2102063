// Instruction sets: the names that people write, and which of them is used.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>

namespace mercer {

// As people write it: "AVX3" of Highway is "AVX-512" here.
std::string instructions_name(const std::string& target);

// The place of `wanted` among `names` (in any case, with or without a dash); for an empty one the
// set that the environment's MERCER_ISA names, and without that the first. Throws Error for a name
// that is none of them.
std::size_t find_instructions(std::span<const std::string> names, const std::string& wanted = {});

// Held by whoever asks Highway for the functions of one set after the other: its choice is the
// whole program's.
std::mutex& instructions_mutex();

}  // namespace mercer
