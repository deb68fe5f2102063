// A sum of products of parts, with differences f(x) - f(z) and their squares left whole.
#pragma once

#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

struct ProductTerm {
  Rational c;
  std::vector<algebra::Expr> factors;  // none: a constant
};

// (1 - 2 D²) exp(-D²) as exp(-D²) and -2 D² exp(-D²); nullopt where there are too many.
std::optional<std::vector<ProductTerm>> distributed(const algebra::Expr& e);

}  // namespace mercer::proof
