// Points of a domain to try, simple ones first.
#pragma once

#include <cstdint>
#include <mercer/domain.hpp>
#include <optional>
#include <vector>

#include "proof/point_value.hpp"

namespace mercer::proof {

// Exactly.
bool contains(const Domain& domain, const Point& point);

// Numbers for one coordinate, simple ones first.
std::vector<Rational> simple_values(const Domain& domain);

// Points of dimension d, at most so many.
std::vector<Point> simple_points(const Domain& domain, std::uint32_t d, std::size_t most);

// All points of dimension d where they are finitely many and at most so many: of {…}, of [a,a], of
// the sphere in dimension 1.
std::optional<std::vector<Point>> all_points(const Domain& domain, std::uint32_t d,
                                             std::size_t most);

}  // namespace mercer::proof
