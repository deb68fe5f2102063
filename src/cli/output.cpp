#include "cli/output.hpp"

#include <algorithm>
#include <iostream>

#include "base/text.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace mercer::cli {

void print(const std::string& text) { std::cout << text << '\n'; }

// Bytes that are not UTF-8 (from a file name, say) are replaced rather than fatal.
void print(const Json& json) { print(json.dump(2, ' ', false, Json::error_handler_t::replace)); }

Json parsed(const std::string& text) { return Json::parse(text); }

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t length = characters(text);
  return length >= width ? text : text + std::string(width - length, ' ');
}

std::string aligned(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, characters(name));
  std::string text;
  for (const auto& [name, value] : rows) {
    if (!text.empty()) text += '\n';
    text += value.empty() ? name : padded(name, width) + "  " + value;
  }
  return text;
}

Json as_json(const std::exception& error) {
  Json json;
  if (const auto* parse = dynamic_cast<const ParseError*>(&error)) {
    const auto& d = parse->details();
    json["message"] = d.message;
    json["text"] = d.text;
    json["column"] = parse->column();
    json["found"] = d.found;
    if (!d.expected.empty()) json["expected"] = d.expected;
    if (!d.suggestion.empty()) json["suggestion"] = d.suggestion;
  } else {
    json["message"] = error.what();
  }
  return Json{{"error", json}};
}

std::string grid(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (std::size_t j = 0; j < line.size(); ++j)
      widths[j] = std::max(widths[j], characters(line[j]));
  std::string text;
  for (const auto& line : lines) {
    text += "\n";
    for (std::size_t j = 0; j < line.size(); ++j) {
      const std::string gap(widths[j] - characters(line[j]), ' ');
      text += j == 0 ? line[j] + gap : "  " + gap + line[j];
    }
  }
  return text;
}

}  // namespace mercer::cli
