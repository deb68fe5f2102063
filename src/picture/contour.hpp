// Lines along which a function on a grid has a given value (marching squares).
#pragma once

#include <span>
#include <vector>

#include "picture/canvas.hpp"

namespace mercer::picture {

// values[j * columns + i] is the value at (i, j); lines are in these coordinates. A saddle is
// decided by the mean of its corners. Cells with a corner that is not finite have no line.
std::vector<std::vector<Spot>> contours(std::span<const double> values, std::size_t columns,
                                        double level);

}  // namespace mercer::picture
