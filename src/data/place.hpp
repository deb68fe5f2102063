// Places in files, for messages.
#pragma once

#include <mercer/error.hpp>
#include <string>

namespace mercer::data {

// "data.csv:3: column 2 ('age'): …"
[[noreturn]] void fail(const std::string& file, const std::string& message);
[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& message);

// Text from a file, safe to show: quoted, shortened, without control characters.
std::string shown(std::string_view text);

}  // namespace mercer::data
