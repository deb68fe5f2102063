// Expressions simplified by what is known of the points.
#pragma once

#include <mercer/domain.hpp>

#include "kernel/expr.hpp"

namespace mercer::proof {

// The same values at all points of the domain: |x| is 1 on the sphere, |u| is u where u >= 0, u/u
// is 1 where u != 0, max(u, -u) is |u|…
algebra::Expr simplified_on(const algebra::Expr& e, const Domain& domain);

// e times a product that is positive on the domain, without denominators where they are: the sign
// is the same.
algebra::Expr without_denominators(const algebra::Expr& e, const Domain& domain);

}  // namespace mercer::proof
