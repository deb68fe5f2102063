// What a cell of text says: a number, a missing value, something else; and how one is written.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace mercer::data {

// Without blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

// The whole text as a number, rounded correctly; a plus sign is allowed. "inf" and "nan" are read,
// and 1e999 is infinite.
std::optional<double> number_in(std::string_view text);

// "", "?", "NA", "NaN" and their like.
bool is_missing(std::string_view text);
// For a label only the unmistakable ones: "-" may be a class.
bool is_missing_label(std::string_view text);

// A number as short as reads back the same; a float is written as the float that it is.
template <class T>
void append_number(std::string& text, T value) {
  const std::size_t old = text.size();
  constexpr std::size_t longest = 32;
  text.resize(old + longest);
  const auto [end, status] = std::to_chars(text.data() + old, text.data() + old + longest, value);
  text.resize(static_cast<std::size_t>(end - text.data()));
}
// In quotes where it needs them.
void append_cell(std::string& text, std::string_view cell);

}  // namespace mercer::data
