// The sign of a constant expression such as exp(1) - 2.7.
#pragma once

#include <optional>

#include "kernel/expr.hpp"

namespace mercer::proof {

// nullopt where e is not constant, or too close to 0 to tell.
std::optional<int> constant_sign(const algebra::Expr& e);
std::optional<bool> constant_is_nonnegative(const algebra::Expr& e);

}  // namespace mercer::proof
