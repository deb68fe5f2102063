// Colours that people tell apart who see few of them: of classes those of Okabe and Ito (2008), of
// values viridis (van der Walt and Smith, 2015), which grows lighter all the way; where the sign
// matters, blue and orange with white at 0.
#pragma once

#include <cstddef>
#include <string>

#include "picture/canvas.hpp"

namespace mercer::picture {

// The eight of Okabe and Ito, then the same darker and lighter.
Colour class_colour(std::size_t number);
Colour value_colour(double share);   // in [0, 1]
Colour signed_colour(double share);  // in [-1, 1]

// a, and so much of b.
Colour mixed(const Colour& a, const Colour& b, double share);
std::string hex(const Colour& c);  // "#0072b2"

inline constexpr Colour white{1, 1, 1};
inline constexpr Colour black{0, 0, 0};
inline constexpr Colour ink{0.13, 0.13, 0.13};
inline constexpr Colour grey{0.42, 0.42, 0.42};
inline constexpr Colour pale{0.88, 0.88, 0.88};

}  // namespace mercer::picture
