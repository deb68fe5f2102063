// What a constant weighs as a part of a sum of kernels that features are made for.
#pragma once

#include "kernel/expr.hpp"

namespace mercer::feature {

// Throws Error where it is negative: then it has no features.
double mass_of(const algebra::Expr& constant);

}  // namespace mercer::feature
