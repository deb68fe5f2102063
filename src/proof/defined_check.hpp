// Is an expression defined on all of a domain? A statement about a kernel that is not is a mistake.
#pragma once

#include <cstdint>
#include <mercer/domain.hpp>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

// For points of each of the dimensions. True where it is defined everywhere; throws Error where it
// is not, naming a point without a value, or two points between which a denominator vanishes (it is
// continuous, has different signs at them, and the domain is connected). False where neither could
// be established.
bool check_defined(const Expr& e, const Domain& domain,
                   const std::vector<std::uint32_t>& dimensions);

}  // namespace mercer::proof
