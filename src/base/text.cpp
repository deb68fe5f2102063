#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace mercer {

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  std::array<char, 32> buffer{};
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

double with_digits(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, std::max(0, digits - 1));
  double result = value;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

std::string point_text(std::span<const double> point) {
  constexpr std::size_t shown = 8;
  std::string text = "(";
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (i > 0) text += ", ";
    if (point.size() > shown && i == shown - 1) {
      text += "…, ";
      i = point.size() - 1;
    }
    text += shortest(point[i]);
  }
  return text + ")";
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC0 ? 1
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                                           : 4;
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return 1;
  return length;
}

namespace {

// Edits (insert, delete, replace, swap two neighbours) that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return table[i * width + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differ = a[i - 1] == b[j - 1] ? 0 : 1;
      std::size_t best = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + differ});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, at(i - 2, j - 2) + 1);
      at(i, j) = best;
    }
  }
  return table.back();
}

}  // namespace

std::string nearest(std::string_view given, std::span<const std::string_view> known) {
  std::string name(given);
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (name != given && std::ranges::find(known, name) != known.end()) return name;
  if (name.empty() || name.size() > 40) return {};
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const auto candidate : known) {
    const std::size_t edits = edit_distance(name, candidate);
    if (edits < fewest && edits < candidate.size()) {
      fewest = edits;
      best = candidate;
    }
  }
  if (!best.empty()) return std::string(best);
  // An abbreviation or another ending: "polynomial" for "poly", "laplace" for "laplacian".
  std::size_t longest = 3;
  for (const auto candidate : known) {
    const auto [stop, ignored] =
        std::mismatch(name.begin(), name.end(), candidate.begin(), candidate.end());
    const auto shared = static_cast<std::size_t>(stop - name.begin());
    if (shared < std::min<std::size_t>(longest, candidate.size())) continue;
    if (shared < 3 || (2 * shared < candidate.size() && shared < name.size())) continue;
    longest = shared + 1;
    best = candidate;
  }
  return std::string(best);
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  std::string text = std::to_string(n) + ' ';
  if (n == 1 || many.empty()) {
    text += one;
    if (n != 1) text += 's';
  } else {
    text += many;
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace mercer
