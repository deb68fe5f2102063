// The kernel language as it is written: a syntax tree with positions, before any meaning.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rational.hpp"
#include "kernel/columns.hpp"

namespace mercer::algebra {

// Bounds on the text: no input can exhaust the stack or the clock.
inline constexpr std::size_t max_text = 65'536;
inline constexpr int max_nesting = 200;

struct Span {
  std::size_t begin = 0;  // byte offsets
  std::size_t end = 0;
};

struct Syntax {
  enum class Kind {
    number,
    name,     // x, z, pi, rbf, i
    call,     // name(args)
    text,     // "age"
    open,     // ? or ?[low,high]
    sum,      // args, each with its sign in `inverse` (true: subtracted)
    product,  // args, each with its sign in `inverse` (true: divided by)
    negate,
    power,
    dot,
    bars,    // |e|, |e|_1
    select,  // e[columns]
  };

  Kind kind = Kind::number;
  Span span;
  std::string text;     // name, call, text
  bool primed = false;  // name: x' and its kin
  Rational number;      // number
  int norm = 2;         // bars
  std::vector<Syntax> args;
  std::vector<bool> inverse;                           // sum, product
  std::vector<std::string> arg_names;                  // call: "" where by position
  std::vector<Span> arg_spans;                         // call: with the name
  std::optional<std::pair<Rational, Rational>> range;  // open
  Columns columns;                                     // select by columns
  std::string index;                                   // select by the variable of a sum: x[i]
};

// Throws ParseError.
Syntax parse_syntax(std::string_view text);

// For messages of later stages.
[[noreturn]] void fail(std::string_view text, Span where, const std::string& message,
                       const std::string& expected = {}, const std::string& suggestion = {});

}  // namespace mercer::algebra
