#include "kernel/lexer.hpp"

#include <array>
#include <mercer/error.hpp>

#include "base/text.hpp"

namespace mercer::algebra {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// What people paste from papers, and what it is here.
struct Spelling {
  std::string_view utf8;
  std::string_view meaning;
};
constexpr std::array<Spelling, 11> spellings{{{"·", "."},
                                              {"⋅", "."},
                                              {"∙", "."},
                                              {"−", "-"},
                                              {"–", "-"},
                                              {"×", "*"},
                                              {"‖", "|"},
                                              {"′", "'"},
                                              {"’", "'"},
                                              {"²", "^2"},
                                              {"³", "^3"}}};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    for (;;) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ >= text_.size()) break;
      next();
    }
    tokens_.push_back({Token::Kind::end, "", false, {text_.size(), text_.size()}});
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void push(Token::Kind kind, std::string text, std::size_t begin) {
    tokens_.push_back({kind, std::move(text), false, {begin, at_}});
  }

  void next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !after_operand())) return number();
    if (is_letter(c) || text_.substr(at_).starts_with("π")) return name();
    if (c == '"') return quoted_text();
    if (std::string_view("+-*/^()[]<>|,=?:._").find(c) != std::string_view::npos) {
      ++at_;
      return push(Token::Kind::symbol, std::string(1, c), at_ - 1);
    }
    for (const auto& [utf8, meaning] : spellings) {
      if (!text_.substr(at_).starts_with(utf8) || meaning == "'") continue;
      const std::size_t begin = at_;
      at_ += utf8.size();
      push(Token::Kind::symbol, std::string(meaning.substr(0, 1)), begin);
      if (meaning.size() > 1) push(Token::Kind::number, std::string(meaning.substr(1)), begin);
      return;
    }
    stray();
  }

  // After an operand a point is the inner product, also before a digit.
  [[nodiscard]] bool after_operand() const {
    if (tokens_.empty()) return false;
    const Token& last = tokens_.back();
    return last.kind != Token::Kind::symbol || last.is(")") || last.is("]");
  }

  void number() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.' && (is_digit(peek(1)) || !is_letter(peek(1)))) {
      ++at_;
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
      if (is_digit(peek(1 + sign))) {
        at_ += 1 + sign;
        while (is_digit(peek())) ++at_;
      }
    }
    push(Token::Kind::number, std::string(text_.substr(begin, at_ - begin)), begin);
  }

  // A prime after a name of x, also before its index: x', x'1, x1'.
  bool prime() {
    if (peek() == '\'') {
      ++at_;
      return true;
    }
    for (const auto& [utf8, meaning] : spellings) {
      if (meaning != "'" || !text_.substr(at_).starts_with(utf8)) continue;
      at_ += utf8.size();
      return true;
    }
    return false;
  }

  void name() {
    const std::size_t begin = at_;
    if (!is_letter(peek())) {
      at_ += std::string_view("π").size();
      return push(Token::Kind::name, "pi", begin);
    }
    std::string text;
    bool primed = false;
    while (is_letter(peek()) || is_digit(peek()) || (peek() == '_' && !text.empty()))
      text += text_[at_++];
    if (prime()) {
      primed = true;
      while (text == "x" && peek() == '_' && is_digit(peek(1))) ++at_;
      if (text == "x")
        while (is_digit(peek())) text += text_[at_++];
    }
    tokens_.push_back({Token::Kind::name, std::move(text), primed, {begin, at_}});
  }

  void quoted_text() {
    const std::size_t begin = at_++;
    std::string content;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && (peek(1) == '"' || peek(1) == '\\')) ++at_;
      content += text_[at_++];
    }
    if (at_ >= text_.size())
      fail(text_, {begin, text_.size()}, "this quotation mark is never closed", "a closing \"");
    ++at_;
    push(Token::Kind::text, std::move(content), begin);
  }

  [[noreturn]] void stray() {
    const std::size_t length = character_length(text_.substr(at_));
    const std::string_view found = text_.substr(at_, length);
    const bool printable = length > 1 || (found[0] >= 0x20 && found[0] < 0x7F);
    if (found == "'") fail(text_, {at_, at_ + 1}, "a stray prime", "x', x'1 or x'[1]");
    fail(text_, {at_, at_ + length},
         printable ? "unexpected character '" + std::string(found) + "'" : "unexpected byte");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens(std::string_view text) {
  if (text.size() > max_text)
    throw ParseError({.message = "the expression is " + std::to_string(text.size()) +
                                 " bytes long; at most " + std::to_string(max_text) + " are read",
                      .text = {},
                      .begin = 1,  // behind its end: no place in the text
                      .end = 0,
                      .found = {},
                      .expected = {},
                      .suggestion = {}});
  return Lexer(text).run();
}

}  // namespace mercer::algebra
