// Where an expression is defined, by interval arithmetic.
#pragma once

#include <mercer/domain.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/expr.hpp"
#include "kernel/interval.hpp"

namespace mercer::algebra {

// What the expression asks of x and z beyond being in the domain, as far as intervals can tell:
// x1 + z1 != 0. Empty means that it is defined on all of the domain.
struct Requirement {
  enum class Kind { positive, nonnegative, nonzero, at_least_minus_1, at_most_1 };
  Expr part;
  Kind kind;
};
std::vector<Requirement> requirements_on(const Expr& e, const Domain& domain);
// The same in words: "x1 + z1 != 0".
std::vector<std::string> conditions_on(const Expr& e, const Domain& domain);

// An interval that holds every value of the expression for x and z in the domain.
Interval range_on(const Expr& e, const Domain& domain);

}  // namespace mercer::algebra
