#include <mercer/error.hpp>

#include "base/text.hpp"

namespace mercer {

namespace {

// What is wrong with the text as a whole has no place in it.
bool has_place(const ParseError::Details& d) { return d.begin <= d.end; }

std::string headline(const ParseError::Details& d, std::size_t column) {
  std::string line = (has_place(d) ? "column " + std::to_string(column) + ": " : "") + d.message;
  if (!d.expected.empty()) line += "; expected " + d.expected;
  if (!d.suggestion.empty()) line += "; did you mean '" + d.suggestion + "'?";
  return line;
}

// The part of a long text around the error, on one line, with the caret under it.
std::string picture(const ParseError::Details& d) {
  constexpr std::size_t before = 60;
  constexpr std::size_t after = 40;
  std::string shown;
  std::size_t caret = 0;
  std::size_t width = 0;
  const std::size_t left = characters(d.text.substr(0, d.begin));
  std::size_t index = 0;
  if (left > before) {
    shown = "…";
    caret = 1;
  }
  for (std::size_t at = 0; at < d.text.size(); ++index) {
    const std::size_t length = character_length(std::string_view(d.text).substr(at));
    if (index + before >= left && index <= left + after) {
      const auto lead = static_cast<unsigned char>(d.text[at]);
      const bool unprintable = lead < 0x20 || lead == 0x7F || (lead >= 0x80 && length == 1);
      shown += unprintable ? std::string(lead == '\t' || lead == '\n' ? " " : "?")
                           : d.text.substr(at, length);
      if (index < left) ++caret;
      if (at >= d.begin && at < d.end) ++width;
    } else if (index == left + after + 1) {
      shown += "…";
    }
    at += length;
  }
  const std::string marks = "^" + std::string(width > 1 ? width - 1 : 0, '~');
  return "  " + shown + "\n  " + std::string(caret, ' ') + marks;
}

std::size_t column_of(const ParseError::Details& d) {
  return characters(std::string_view(d.text).substr(0, d.begin)) + 1;
}

}  // namespace

ParseError::ParseError(Details details)
    : Error(headline(details, column_of(details)) +
            (has_place(details) ? "\n" + picture(details) : "")),
      details_(std::move(details)),
      column_(column_of(details_)),
      line_(headline(details_, column_)) {}

}  // namespace mercer
