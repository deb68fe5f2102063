// Is what a user calls a kernel one on these data? Told before it does harm, and quickly: what
// takes longer is the business of `mercer prove`.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <string>
#include <vector>

namespace mercer::cli {

// A sentence for what is wrong, mostly none; the kernel's columns are those of the points.
std::vector<std::string> kernel_notes(const Kernel& k, const Points& x);

}  // namespace mercer::cli
