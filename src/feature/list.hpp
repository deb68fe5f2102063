// A feature map as text: "[x1, x2, sqrt(2)*x1*x2]".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::feature {

using algebra::Expr;

// The coordinates, expressions in x alone. In a known dimension, an item `x` stands for all of
// x1 … xd. The names are those of the columns, for x["age"], or none. Throws ParseError, with the
// position in the whole text.
std::vector<Expr> parse_list(std::string_view text, std::optional<std::uint32_t> dimension,
                             std::span<const std::string> names);

}  // namespace mercer::feature
