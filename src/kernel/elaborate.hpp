// From what is written to what is meant: a syntax tree becomes an expression.
//
// Vectors exist only here. A vector is an expression in one coordinate (x - z is x[i] - z[i]) over
// some columns; inner products and norms turn it into a reduction. Where a number is needed, x and
// z stand for the single coordinate that they then must have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernel/expr.hpp"
#include "kernel/syntax.hpp"

namespace mercer::algebra {

struct Definition;
struct OpenCall;

struct Argument {
  std::string_view name;
  Expr value;
};

// Reads an expression; a known dimension is checked in place. Throws ParseError.
Expr elaborate(std::string_view text, std::optional<std::uint32_t> dimension = std::nullopt);

// The expression of a named kernel for its arguments, all of them given.
Expr expand(const Definition& definition, const std::vector<Argument>& arguments);
// With the arguments given by name, the others at their defaults. Throws Error for one out of
// range.
Expr expand(std::string_view kernel, std::vector<Argument> given);
// A named kernel whose open parameters are given values now, in order.
Expr expand(const OpenCall& call, std::span<const Rational> values);
// A named kernel with some arguments open; in canonical order, checked.
Expr make_open_call(OpenCall call, std::uint32_t serial);

// Reads a constant such as 1/3 or -2^-5, as a rational number. Throws ParseError.
Rational constant_from(std::string_view text);

}  // namespace mercer::algebra
