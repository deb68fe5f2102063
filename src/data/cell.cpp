#include "data/cell.hpp"

#include <algorithm>
#include <array>
#include <fast_float/fast_float.h>

namespace mercer::data {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> number_in(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [stop, status] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_missing(std::string_view text) {
  static constexpr auto signs = std::to_array<std::string_view>(
      {"-", ".", "null", "NULL", "Null", "None", "none", "<NA>", "#N/A"});
  return is_missing_label(text) ||
         (text.size() <= 4 && std::ranges::find(signs, text) != signs.end());
}

bool is_missing_label(std::string_view text) {
  static constexpr auto signs =
      std::to_array<std::string_view>({"?", "NA", "N/A", "na", "n/a", "nan", "NaN", "NAN", "-nan"});
  return text.empty() || (text.size() <= 4 && std::ranges::find(signs, text) != signs.end());
}

void append_cell(std::string& text, std::string_view cell) {
  if (!cell.empty() && cell.find_first_of(",;\t\"\n\r ") == std::string_view::npos) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

}  // namespace mercer::data
