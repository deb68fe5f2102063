#include "data/place.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace mercer::data {

void fail(const std::string& file, const std::string& message) {
  throw Error(file + ": " + message);
}

void fail(const std::string& file, std::size_t line, const std::string& message) {
  throw Error(file + ":" + std::to_string(line) + ": " + message);
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  std::size_t count = 0;
  while (!text.empty()) {
    if (count++ == longest) return result + "…'";
    const std::size_t length = character_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (byte < 0x20 || byte == 0x7f || (length == 1 && byte >= 0x80)) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result + "'";
}

}  // namespace mercer::data
