// Functions of one number: derivatives, and signs on a domain.
#pragma once

#include <mercer/domain.hpp>
#include <optional>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

Expr number_x();  // x and z as numbers
Expr number_z();

// Every occurrence of `part` replaced.
Expr replaced(const Expr& e, const Expr& part, const Expr& by);
// Coordinates of one side (or of both) replaced; not for expressions with normalize inside.
Expr with_side(const Expr& e, algebra::Side side, const Expr& by);
Expr with_both_sides(const Expr& e, const Expr& by);

// The number that e is wherever it is defined: 0*√x + 1 is 1.
std::optional<Rational> constant_of(const Expr& e);

// d/dx, d/dz of an expression in numbers; nullopt where it has parts that are not smooth (min, max,
// |.|, reductions).
std::optional<Expr> derivative(const Expr& e, algebra::Side side);

// The values that numbers between the bounds of an interval may take, as a domain; endpoints
// included unless they are infinite.
Domain between(double low, double high);

// The bounds of the coordinates of points of the domain, rounded outwards.
Domain hull_of(const Domain& domain);

// e >= 0 for x, z in the domain (each coordinate), by interval arithmetic on smaller and smaller
// pieces. False says nothing.
bool nonnegative_on(const Expr& e, const Domain& domain);
bool positive_on(const Expr& e, const Domain& domain);

}  // namespace mercer::proof
