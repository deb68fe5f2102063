// Are all coefficients of a power series >= 0? The first of them are looked at; for the rest there
// is an argument.
#pragma once

#include <functional>
#include <optional>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

struct SeriesSigns {
  bool all_nonnegative = false;
  std::optional<std::size_t> negative;  // the order of the first negative coefficient, where seen
};

// e as a power series in t. `positive` says whether an expression is known to be > 0 at all values
// that count: c - t has to be, for (c - t)^(-r) to converge.
SeriesSigns series_signs(const Expr& e, const Expr& t,
                         const std::function<bool(const Expr&)>& positive);

}  // namespace mercer::proof
