// φ(x_1), …, φ(x_n): the images of points under a feature map that is written out.
#pragma once

#include <mercer/features.hpp>
#include <mercer/points.hpp>

namespace mercer {

// Dense, a column for each coordinate of the map. Throws Error where the map is for another
// dimension, and EvaluationError, with the row, where a coordinate has no value.
Points mapped(const FeatureMap& map, const Points& x, unsigned threads = 0);

}  // namespace mercer
