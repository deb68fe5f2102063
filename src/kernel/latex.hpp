// Expressions as formulas for TeX.
#pragma once

#include <string>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// For math mode, with amsmath: "\exp\left(-\frac{\|x-z\|^2}{2}\right)".
std::string latex(const Expr& e);
std::string latex(const Rational& value);

}  // namespace mercer::algebra
