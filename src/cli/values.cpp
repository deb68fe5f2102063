#include "cli/values.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/text.hpp"
#include "data/cell.hpp"

namespace mercer::cli {

Check whole_number(std::uint64_t least, std::uint64_t most) {
  constexpr auto any = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  const std::string expected =
      most < any ? fmt::format("from {} to {}", least, most) : fmt::format("from {} on", least);
  const auto check = [least, most, expected](std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    const bool good = status == std::errc() && stop == end && value >= least && value <= most;
    return good ? std::string() : "'" + text + "' is not a whole number " + expected;
  };
  return check;
}

Check number_between(double least, double most) {
  const auto check = [least, most](std::string& text) {
    const auto value = data::number_in(text);
    return value && *value >= least && *value <= most
               ? std::string()
               : fmt::format("'{}' is not a number from {} to {}", text, least, most);
  };
  return check;
}

Check mebibytes() {
  const auto change = [](std::string& text) {
    const char unit = text.empty() ? ' ' : text.back();
    const bool named = unit == 'M' || unit == 'G';
    std::string digits = named ? text.substr(0, text.size() - 1) : text;
    constexpr std::uint64_t most = std::uint64_t{1} << 30U;
    if (!whole_number(1, unit == 'G' ? most / 1024 : most)(digits).empty())
      return "'" + text + "' is no size of memory: a whole number of MiB, or like 500M, 4G";
    if (unit == 'G') digits = std::to_string(1024 * std::stoull(digits));
    text = digits;
    return std::string();
  };
  return change;
}

Check not_empty() {
  return [](std::string& text) {
    return text.empty() ? std::string("it is empty: leave it out, or say something")
                        : std::string();
  };
}

Check one_of(const std::vector<std::string>& names) {
  const auto check = [names](std::string& text) {
    if (std::ranges::find(names, text) != names.end()) return std::string();
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string guess = nearest(text, known);
    return fmt::format("'{}' is none of {}{}", text, fmt::join(names, ", "),
                       guess.empty() ? "" : "; did you mean '" + guess + "'?");
  };
  return check;
}

}  // namespace mercer::cli
