// The width of a kernel that the data suggest.
#pragma once

#include <cstdint>
#include <mercer/points.hpp>

namespace mercer::learn {

// γ = 1 / median |x_i - x_j|² over pairs of a sample, with two digits: it is a rule of thumb. 1
// where all points are the same.
double width_from_data(const Points& x, std::uint64_t seed);

}  // namespace mercer::learn
