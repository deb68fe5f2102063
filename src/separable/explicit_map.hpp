// A feature map written out: "[x1, x2, x1*x2]".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expr.hpp"
#include "kernel/polynomial.hpp"

namespace mercer::separability {

using algebra::Expr;

struct ExplicitMap {
  std::vector<Expr> coordinates;   // expressions in x alone
  std::vector<std::string> texts;  // canonical, in the same order
};

// In dimension d; names are those of the columns, for x["age"], or empty. An item `x` stands for
// all coordinates x1 … xd. Throws ParseError, with the position in the whole text.
ExplicitMap parse_map(std::string_view text, std::uint32_t d, std::span<const std::string> names);

// "[x1, x1*x2]"
std::string map_text(const std::vector<std::string>& texts);

// The monomials of degree 1 … n in d variables, lower degrees first; as a map.
std::vector<algebra::Monomial> monomials_up_to(std::uint32_t d, std::uint32_t n);
// How many these are; saturated at `limit`.
std::size_t count_monomials(std::uint32_t d, std::uint32_t n, std::size_t limit);
ExplicitMap map_of(const std::vector<algebra::Monomial>& monomials, std::uint32_t d);

}  // namespace mercer::separability
