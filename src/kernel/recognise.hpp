// Which named kernel an expression is.
#pragma once

#include <optional>
#include <string>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// "rbf(0.5)", "poly(2, c=0)[1:3]"; nullopt where it is none. `needed_only` is for
// formulas: then only kernels that the language cannot write out are named.
std::optional<std::string> recognise(const Expr& e, bool needed_only);

// c*e as it was probably written. Bases are kept with the constant 1 and the number apart, as in
// 0.25*(2*x.z + 1)^2, which reads better as (x.z + 0.5)^2. What comes back is for reading only: it
// is not in canonical form.
Multiple readable(const Rational& c, const Expr& e);

// The columns that all reductions in an expression run over, where they agree, are not all columns,
// and nothing else in it refers to columns; and the expression over all columns instead.
struct Restricted {
  Expr whole;
  Columns columns;
};
std::optional<Restricted> restriction_of(const Expr& e);

}  // namespace mercer::algebra
