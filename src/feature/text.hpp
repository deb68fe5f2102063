// Coordinates of a feature map as people write them.
#pragma once

#include <string>

#include "kernel/expr.hpp"

namespace mercer::feature {

// sqrt(2)*sqrt(3)*x1/3 as sqrt(2/3)*x1. Reads back as an equal expression.
std::string coordinate_text(const algebra::Expr& e);
std::string coordinate_latex(const algebra::Expr& e);

}  // namespace mercer::feature
