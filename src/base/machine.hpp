// What this machine offers, for reports and for choices that depend on it.
#pragma once

#include <string>
#include <vector>

namespace mercer {

// The instruction set that the library computes with.
std::string instructions_in_use();
// Wider ones that the CPU has, widest last: "AVX2", "AVX-512".
std::vector<std::string> instructions_available();
// The threads that may run at once.
unsigned hardware_threads();

}  // namespace mercer
