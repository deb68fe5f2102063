// The value of an expression at rational points, exactly or in balls.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernel/expr.hpp"
#include "proof/ball.hpp"

namespace mercer::proof {

using algebra::Expr;
using Point = std::vector<Rational>;

// Exactly, where the value is rational and each step is: sums, products, whole powers, min, max,
// |.|, roots of perfect powers. nullopt otherwise, also where it is undefined.
std::optional<Rational> exact_value(const Expr& e, const Point& x, const Point& z);

// In balls, with so many bits. nullopt where it is undefined or cannot be told from undefined.
std::optional<Ball> ball_value(const Expr& e, const Point& x, const Point& z, long precision);

}  // namespace mercer::proof
