// Where a polynomial is not 0.
#pragma once

#include <mercer/domain.hpp>
#include <optional>

#include "kernel/polynomial.hpp"
#include "proof/point_value.hpp"

namespace mercer::proof {

struct PointPair {
  Point x;
  Point z;
};

// Two points of dimension d in the domain at which the polynomial is not 0. One variable after the
// other takes the first value that leaves something: a polynomial of degree n in it vanishes at n
// values at most, or everywhere. nullopt where the domain has too few values, and on the sphere.
std::optional<PointPair> nonzero_point(algebra::Polynomial p, std::uint32_t d,
                                       const Domain& domain);

}  // namespace mercer::proof
