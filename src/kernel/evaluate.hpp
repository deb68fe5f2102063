// The value of an expression at two points, in double precision.
#pragma once

#include <span>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// Throws EvaluationError where there is no finite value, naming the part that has none.
double evaluate(const Expr& e, std::span<const double> x, std::span<const double> z);

// The value of an expression without x and z.
double constant_value(const Expr& e);

}  // namespace mercer::algebra
