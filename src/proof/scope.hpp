// Where a statement is made: the dimensions to look at.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

// The dimensions in which a witness is looked for.
std::vector<std::uint32_t> dimensions(const Expr& e, std::optional<std::uint32_t> dimension);

}  // namespace mercer::proof
