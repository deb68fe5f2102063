#include "studio/mathml.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace mercer::studio {

namespace {

struct Known {
  std::string_view command;
  std::string_view element;
  std::string_view content;
};

constexpr std::array<Known, 27> known{{
    {"exp", "mi", "exp"},   {"log", "mi", "log"},       {"cos", "mi", "cos"},
    {"sin", "mi", "sin"},   {"cosh", "mi", "cosh"},     {"sinh", "mi", "sinh"},
    {"tanh", "mi", "tanh"}, {"arcsin", "mi", "arcsin"}, {"min", "mi", "min"},
    {"max", "mi", "max"},   {"pi", "mi", "π"},          {"varphi", "mi", "φ"},
    {"psi", "mi", "ψ"},     {"theta", "mi", "θ"},       {"infty", "mi", "∞"},
    {"cdot", "mo", "·"},    {"in", "mo", "∈"},          {"sum", "mo", "∑"},
    {"prod", "mo", "∏"},    {"le", "mo", "≤"},          {"ge", "mo", "≥"},
    {"ne", "mo", "≠"},      {"approx", "mo", "≈"},      {"times", "mo", "×"},
    {"ldots", "mo", "…"},   {"pm", "mo", "±"},          {"int", "mo", "∫"},
}};

constexpr const char* bars = R"(<mo stretchy="false">‖</mo>)";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string element(std::string_view name, std::string_view content) {
  return "<" + std::string(name) + ">" + std::string(content) + "</" + std::string(name) + ">";
}

// Reads from left to right; whatever the text, it ends, and all elements are closed.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string run() {
    std::string row;
    while (at_ < text_.size()) row += scripted();
    return row;
  }

 private:
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] bool starts(std::string_view what) const {
    return text_.substr(at_).starts_with(what);
  }
  void skip_blanks() {
    while (!done() && text_[at_] == ' ') ++at_;
  }

  // An atom with what stands below and above it.
  std::string scripted() {
    skip_blanks();
    if (done()) return {};
    const bool big = starts("\\sum") || starts("\\prod");
    std::string base = atom();
    std::string below;
    std::string above;
    while (!done() && (text_[at_] == '_' || text_[at_] == '^')) {
      std::string& script = text_[at_++] == '_' ? below : above;
      skip_blanks();
      script = element("mrow", atom());
    }
    if (!below.empty() && !above.empty())
      return element(big ? "munderover" : "msubsup", base + below + above);
    if (!below.empty()) return element(big ? "munder" : "msub", base + below);
    if (!above.empty()) return element(big ? "mover" : "msup", base + above);
    return base;
  }

  std::string atom() {
    if (done()) return element("mrow", "");
    const char c = text_[at_];
    if (c == '{') return element("mrow", group());
    if (c == '\\') return command();
    if (is_digit(c)) {
      const std::size_t begin = at_;
      while (!done() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
      return element("mn", text_.substr(begin, at_ - begin));
    }
    const std::size_t length = std::min(character_length(text_.substr(at_)), text_.size() - at_);
    const std::string_view one = text_.substr(at_, length);
    at_ += length;
    if (length == 1 && is_letter(c)) return element("mi", one);
    if (c == '-') return element("mo", "−");
    return element("mo", escaped(one));
  }

  // {…}
  std::string group() {
    ++at_;
    std::string row;
    while (!done() && text_[at_] != '}') {
      row += scripted();
      skip_blanks();
    }
    if (!done()) ++at_;
    return row;
  }

  std::string argument() {
    skip_blanks();
    return element("mrow", !done() && text_[at_] == '{' ? group() : atom());
  }

  // The letters of {…}, with accents.
  std::string words() {
    if (done() || text_[at_] != '{') return {};
    ++at_;
    std::string text;
    for (int depth = 1; !done(); ++at_) {
      if (starts("\\acute{e}")) {
        text += "é";
        at_ += std::string_view("\\acute{e}").size() - 1;
        continue;
      }
      depth += text_[at_] == '{' ? 1 : text_[at_] == '}' ? -1 : 0;
      if (depth == 0) break;
      text += text_[at_];
    }
    if (!done()) ++at_;
    return text;
  }

  // Up to the end mark, which may be a command of its own.
  std::string until(std::string_view end) {
    std::string row;
    while (!done() && !starts(end)) {
      row += scripted();
      skip_blanks();
    }
    if (!done()) at_ += end.size();
    return row;
  }

  std::string delimiter() {
    if (done()) return {};
    return element("mo", escaped(text_.substr(at_++, 1)));
  }

  std::string command() {
    ++at_;
    if (done()) return element("mo", "\\");
    if (!is_letter(text_[at_])) {
      const char c = text_[at_++];
      // A norm goes up to its other bars.
      if (c == '|') return element("mrow", std::string(bars) + until("\\|") + bars);
      if (c == ',') return R"(<mo lspace="0" rspace="0.17em">&#x2062;</mo>)";  // times, unseen
      if (c == ' ' || c == ';' || c == '!') return {};
      return element("mo", escaped(std::string_view(&c, 1)));
    }
    const std::size_t begin = at_;
    while (!done() && is_letter(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "frac" || name == "tfrac") {
      const std::string above = argument();
      return element("mfrac", above + argument());
    }
    if (name == "sqrt") return element("msqrt", argument());
    if (name == "left") {
      const std::string open = delimiter();
      const std::string row = until("\\right");
      return element("mrow", open + row + delimiter());
    }
    if (name == "operatorname" || name == "text")
      return element(name == "text" ? "mtext" : "mi", escaped(words()));
    const auto found = std::ranges::find(known, name, &Known::command);
    if (found == known.end()) return element("mtext", escaped(name));
    return element(found->element, found->content);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string mathml(std::string_view latex) {
  return "<math><mrow>" + Reader(latex).run() + "</mrow></math>";
}

}  // namespace mercer::studio
