// The decision for features already computed, for those who ask it many times.
#pragma once

#include <mercer/separable.hpp>
#include <span>
#include <vector>

#include "separable/features.hpp"
#include "separable/nearest.hpp"

namespace mercer::separability {

// Throws Error where there are more numbers than fit.
void refuse_too_large(const Matrix& table, std::size_t features);

// Two equal points with different signs; empty where there are none.
std::vector<std::size_t> clash(const Matrix& table, std::span<const int> y);

Separability decide(const std::vector<Point>& points, const Coordinates& coordinates,
                    std::span<const int> y, bool offset, Clock::time_point deadline);

// Puts names to what decide() answers, and writes the separator out.
void name_features(Separability& answer, const ExplicitMap& map);

}  // namespace mercer::separability
