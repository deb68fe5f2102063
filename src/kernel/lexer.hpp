// Tokens of the kernel language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/syntax.hpp"

namespace mercer::algebra {

struct Token {
  enum class Kind { number, name, text, symbol, end };
  Kind kind = Kind::end;
  std::string text;     // the name, the number, the symbol in ASCII, the text without quotes
  bool primed = false;  // name: followed by a prime, as in x'
  Span span;

  [[nodiscard]] bool is(std::string_view symbol) const {
    return kind == Kind::symbol && text == symbol;
  }
};

// All of them, with an end token at the end. Throws ParseError for what is not one.
std::vector<Token> tokens(std::string_view text);

}  // namespace mercer::algebra
