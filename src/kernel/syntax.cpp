#include "kernel/syntax.hpp"

#include <mercer/error.hpp>

#include "base/text.hpp"
#include "kernel/lexer.hpp"

namespace mercer::algebra {

void fail(std::string_view text, Span where, const std::string& message,
          const std::string& expected, const std::string& suggestion) {
  throw ParseError({.message = message,
                    .text = std::string(text),
                    .begin = where.begin,
                    .end = where.end,
                    .found = std::string(text.substr(where.begin, where.end - where.begin)),
                    .expected = expected,
                    .suggestion = suggestion});
}

namespace {

using Kind = Syntax::Kind;

// Recursive descent; from loose to tight: sum, product, minus, power, inner product, selection.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokens(text)) {}

  Syntax run() {
    if (here().kind == Token::Kind::end)
      fail(text_, here().span, "the expression is empty", operand);
    Syntax result = expression();
    if (here().kind != Token::Kind::end) after_complete();
    return result;
  }

 private:
  static constexpr const char* operand = "a kernel, a function, a number, x, z or '('";

  [[nodiscard]] const Token& here() const { return tokens_[at_]; }
  const Token& take() { return tokens_[at_++]; }

  bool accept(std::string_view symbol) {
    if (!here().is(symbol)) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void unexpected(const std::string& expected) const {
    const Token& t = here();
    if (t.kind == Token::Kind::end) fail(text_, t.span, "the expression ends too early", expected);
    fail(text_, t.span, "unexpected " + shown(t), expected);
  }

  [[nodiscard]] std::string shown(const Token& t) const {
    return "'" + std::string(text_.substr(t.span.begin, t.span.end - t.span.begin)) + "'";
  }

  const Token& require(std::string_view symbol, const std::string& expected) {
    if (!here().is(symbol)) unexpected(expected);
    return take();
  }

  // Something follows a complete expression: say what is missing between the two.
  [[noreturn]] void after_complete() const {
    const Token& t = here();
    if (t.is("*")) unexpected("one operand after the other (a power is written a ^ b)");
    if (t.is(")")) fail(text_, t.span, "this ')' closes nothing", "an operator or the end");
    if (t.kind == Token::Kind::name || t.kind == Token::Kind::number || t.is("(") || t.is("|"))
      unexpected("an operator before it (a product is written a*b)");
    unexpected("an operator or the end");
  }

  // Guards the recursion.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > max_nesting)
        fail(parser_.text_, parser_.here().span,
             "the expression is nested more than " + std::to_string(max_nesting) + " levels deep");
    }
    ~Level() { --parser_.nesting_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  Syntax make(Kind kind, std::size_t begin) const {
    Syntax s;
    s.kind = kind;
    s.span = {begin, at_ > 0 ? tokens_[at_ - 1].span.end : begin};
    return s;
  }

  Syntax expression() {
    const Level level(*this);
    const std::size_t begin = here().span.begin;
    std::vector<Syntax> args;
    std::vector<bool> inverse;
    bool minus = false;
    if (here().is("-") || here().is("+")) minus = take().is("-");
    for (;;) {
      args.push_back(product());
      inverse.push_back(minus);
      if (!here().is("-") && !here().is("+")) break;
      minus = take().is("-");
    }
    if (args.size() == 1 && !inverse[0]) return std::move(args[0]);
    Syntax s = make(Kind::sum, begin);
    s.args = std::move(args);
    s.inverse = std::move(inverse);
    return s;
  }

  Syntax product() {
    const std::size_t begin = here().span.begin;
    std::vector<Syntax> args;
    std::vector<bool> inverse;
    bool over = false;
    for (;;) {
      args.push_back(minus());
      inverse.push_back(over);
      if (!here().is("*") && !here().is("/")) break;
      over = take().is("/");
      if (here().is("*")) unexpected("an operand (a power is written a ^ b)");
    }
    if (args.size() == 1) return std::move(args[0]);
    Syntax s = make(Kind::product, begin);
    s.args = std::move(args);
    s.inverse = std::move(inverse);
    return s;
  }

  Syntax minus() {
    const std::size_t begin = here().span.begin;
    if (!here().is("+") && !here().is("-")) return raised();
    const Level level(*this);
    if (take().is("+")) return minus();
    Syntax inner = minus();
    Syntax s = make(Kind::negate, begin);
    s.args.push_back(std::move(inner));
    return s;
  }

  Syntax raised() {
    const std::size_t begin = here().span.begin;
    Syntax base = inner_product();
    if (!accept("^")) return base;
    const Level level(*this);
    Syntax exponent = minus();
    Syntax s = make(Kind::power, begin);
    s.args.push_back(std::move(base));
    s.args.push_back(std::move(exponent));
    return s;
  }

  Syntax inner_product() {
    const std::size_t begin = here().span.begin;
    Syntax left = selected();
    if (!accept(".")) return left;
    Syntax right = selected();
    if (here().is(".")) unexpected("two vectors in an inner product, not three");
    Syntax s = make(Kind::dot, begin);
    s.args.push_back(std::move(left));
    s.args.push_back(std::move(right));
    return s;
  }

  Syntax selected() {
    const std::size_t begin = here().span.begin;
    Syntax inner = primary();
    for (int steps = 0; here().is("["); ++steps) {
      if (steps > 16) unexpected("fewer selections in a row");
      take();
      Syntax s;
      selectors(s);
      require("]", "',' or ']'");
      s.kind = Kind::select;
      s.span = {begin, tokens_[at_ - 1].span.end};
      s.args.push_back(std::move(inner));
      inner = std::move(s);
    }
    return inner;
  }

  void selectors(Syntax& s) {
    const std::size_t begin = here().span.begin;
    std::vector<Range> ranges;
    std::vector<std::string> names;
    if (here().kind == Token::Kind::name) {
      s.index = take().text;
      return;
    }
    do {
      if (here().kind == Token::Kind::text) {
        names.push_back(take().text);
      } else {
        const auto first = column();
        ranges.push_back({first, accept(":") ? column() : first});
      }
    } while (accept(","));
    const Span span{begin, tokens_[at_ - 1].span.end};
    if (!names.empty() && !ranges.empty())
      fail(text_, span, "columns by name and by number in one selection",
           "one or the other, or two selections in a row");
    try {
      s.columns = names.empty() ? Columns::at(ranges) : Columns::named(std::move(names));
    } catch (const ParseError&) {
      throw;
    } catch (const Error& e) {
      fail(text_, span, e.what());
    }
  }

  std::uint32_t column() {
    const Token& t = here();
    if (t.kind != Token::Kind::number)
      unexpected("a column: a number from 1, a name in \"quotes\"");
    const auto value = number(t);
    const auto index = value.to_int();
    if (!index || *index < 1)
      fail(text_, t.span, shown(t) + " is not a column", "a whole number from 1");
    if (*index > Columns::max_index)
      fail(text_, t.span, shown(t) + " is beyond the largest column", "at most 2147483647");
    take();
    return static_cast<std::uint32_t>(*index);
  }

  [[nodiscard]] Rational number(const Token& t) const {
    try {
      if (const auto value = Rational::from_decimal(t.text)) return *value;
    } catch (const Error& e) {
      fail(text_, t.span, e.what());
    }
    fail(text_, t.span, "malformed number " + shown(t));
  }

  Syntax primary() {
    const Token& t = here();
    const std::size_t begin = t.span.begin;
    switch (t.kind) {
      case Token::Kind::number: {
        Syntax s = make(Kind::number, begin);
        s.number = number(take());
        s.span = t.span;
        return s;
      }
      case Token::Kind::text: {
        Syntax s;
        s.kind = Kind::text;
        s.text = take().text;
        s.span = t.span;
        return s;
      }
      case Token::Kind::name:
        return name();
      default:
        break;
    }
    if (accept("(")) {
      Syntax inner = expression();
      close(")", begin);
      inner.span = {begin, tokens_[at_ - 1].span.end};
      return inner;
    }
    if (accept("|")) return bars(begin);
    if (accept("<")) {
      Syntax left = expression();
      require(",", "',' and the second vector of the inner product <x,z>");
      Syntax right = expression();
      close(">", begin);
      Syntax s = make(Kind::dot, begin);
      s.args.push_back(std::move(left));
      s.args.push_back(std::move(right));
      return s;
    }
    if (t.is("?"))
      fail(text_, t.span, "an open parameter outside of a named kernel",
           "a number (? may stand for a parameter, as in rbf(gamma=?))");
    unexpected(operand);
  }

  void close(std::string_view symbol, std::size_t opened) {
    if (accept(symbol)) return;
    const Token& t = here();
    const std::string opening(text_.substr(opened, 1));
    const std::size_t column = characters(text_.substr(0, opened)) + 1;
    const std::string expected = "'" + std::string(symbol) + "' to close the '" + opening +
                                 "' at column " + std::to_string(column);
    if (t.kind == Token::Kind::name || t.kind == Token::Kind::number || t.is("("))
      unexpected("an operator, or " + expected);
    unexpected(expected);
  }

  Syntax bars(std::size_t begin) {
    Syntax inner = expression();
    close("|", begin);
    Syntax s;
    s.kind = Kind::bars;
    if (accept("_")) {
      const Token& t = here();
      if (t.kind != Token::Kind::number || (t.text != "1" && t.text != "2"))
        unexpected("1 or 2: the norms are |e|_1 and |e|_2");
      s.norm = take().text == "1" ? 1 : 2;
    }
    s.args.push_back(std::move(inner));
    s.span = {begin, tokens_[at_ - 1].span.end};
    return s;
  }

  Syntax name() {
    const Token& t = take();
    const std::size_t begin = t.span.begin;
    Syntax s;
    s.text = t.text;
    s.primed = t.primed;
    s.kind = Kind::name;
    s.span = t.span;
    if (!accept("(")) return s;
    s.kind = Kind::call;
    if (!here().is(")")) {
      do {
        argument(s);
      } while (accept(","));
    }
    if (!here().is(")")) close_call(t);
    take();
    s.span = {begin, tokens_[at_ - 1].span.end};
    return s;
  }

  [[noreturn]] void close_call(const Token& name) const {
    const std::string expected = "',' or ')' to close '" + name.text + "('";
    if (here().kind == Token::Kind::name || here().kind == Token::Kind::number || here().is("("))
      unexpected("an operator, " + expected);
    unexpected(expected);
  }

  void argument(Syntax& call) {
    std::string name;
    const std::size_t begin = here().span.begin;
    if (here().kind == Token::Kind::name && tokens_[at_ + 1].is("=")) {
      name = take().text;
      take();
    }
    call.arg_names.push_back(std::move(name));
    call.args.push_back(here().is("?") ? open() : expression());
    call.arg_spans.push_back({begin, tokens_[at_ - 1].span.end});
  }

  Syntax open() {
    const std::size_t begin = take().span.begin;
    Syntax s;
    s.kind = Kind::open;
    if (accept("[")) {
      const Rational low = signed_number();
      require(",", "',' and the upper end of the range");
      const Rational high = signed_number();
      require("]", "']' to close the range");
      if (!(low < high))
        fail(text_, {begin, tokens_[at_ - 1].span.end}, "an empty range",
             "?[low,high] with low < high");
      s.range = {low, high};
    }
    s.span = {begin, tokens_[at_ - 1].span.end};
    return s;
  }

  Rational signed_number() {
    const bool negative = accept("-");
    if (here().kind != Token::Kind::number) unexpected("a number");
    Rational value = number(take());
    if (accept("/")) {
      if (here().kind != Token::Kind::number) unexpected("a number");
      const Token& t = take();
      const Rational divisor = number(t);
      if (divisor.is_zero()) fail(text_, t.span, "division by zero");
      value = value / divisor;
    }
    return negative ? -value : value;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

Syntax parse_syntax(std::string_view text) { return Parser(text).run(); }

}  // namespace mercer::algebra
