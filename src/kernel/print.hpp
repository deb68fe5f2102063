// Expressions as text in the kernel language.
#pragma once

#include <mercer/kernel.hpp>
#include <string>

#include "kernel/expr.hpp"

namespace mercer::algebra {

enum class Naming {
  names,     // rbf(0.5)*poly(2)
  formulas,  // exp(-0.5*|x-z|^2)*(x.z + 1)^2, names only where the language has no formula
};

// Canonical; elaborate(print(e)) is e again.
std::string print(const Expr& e, Naming naming = Naming::names);

// As read where x and z are known to be numbers: min(x, z) and not min(x + 0, z).
std::string print_for_reading(const Expr& e, Naming naming = Naming::formulas);

KernelTree tree_of(const Expr& e);

}  // namespace mercer::algebra
