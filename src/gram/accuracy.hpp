// How far rounding carries the values of a plan from the kernel's own, before any are computed.
#pragma once

#include <mercer/points.hpp>
#include <span>

#include "gram/plan.hpp"

namespace mercer::gram {

inline constexpr double single_roundoff = 0x1p-24;
inline constexpr double double_roundoff = 0x1p-53;

// The largest error to be expected among sampled pairs of points (each point with itself, where the
// points x are the points z, and pairs across), relative to the kernel's expression evaluated with
// absolute values. A running error analysis: every step passes on the error of what it uses, and
// adds its own rounding. Values below 1e-5 of the largest count as if they were that large.
double expected_error(const Plan& plan, const Points& x, const Points& z, bool same,
                      std::span<const double> centre, double roundoff);

}  // namespace mercer::gram
