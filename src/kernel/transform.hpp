// One expression made from another, node by node, in canonical form again.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// Replaces leaves (coordinates, user functions, open calls…) and the columns of reductions. The
// leaf function is told how many reductions of the expression stand around the leaf.
struct Rewrite {
  std::function<Expr(const Expr& leaf, std::uint32_t depth)> leaf;
  std::function<Columns(const Columns&)> columns;  // may be empty: unchanged
};
Expr rewrite(const Expr& e, const Rewrite& how, std::uint32_t depth = 0);

// The node with other arguments.
Expr with_args(const Node& n, std::vector<Expr> args);

Expr swap_sides(const Expr& e);  // k(z, x)
Expr diagonal(const Expr& e);    // k(x, x), as a function of x; user functions and the like stay
Expr shifted(const Expr& e);     // k(x+t, z+t)

// The body of a reduction at one coordinate: bound coordinates become what `at` makes of them.
Expr substitute_bound(const Expr& body, const std::function<Expr(Side)>& at);
// References to enclosing reductions moved out by one (past one more) or in by one.
Expr shift_out(const Expr& e);
Expr shift_in(const Expr& e);

Expr restrict_to(const Expr& e, const Columns& outer);  // k[outer]
// The inverse: what, restricted to the columns, is e. nullopt where e looks at others.
std::optional<Expr> unrestricted(const Expr& e, const Columns& outer);
Expr resolve_columns(const Expr& e, std::span<const std::string> names);
// In a dimension that is given: throws Error where the expression makes no sense in it.
Expr in_dimension(const Expr& e, std::optional<std::uint32_t> dimension);
// With x and z numbers: reductions over all coordinates become their bodies.
Expr in_dimension_one(const Expr& e);
// Matérn functions of (x-z)^2 for numbers as functions of |x-z|^2 for vectors.
Expr matern_of_vectors(const Expr& e);

}  // namespace mercer::algebra
