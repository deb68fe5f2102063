// A text cut into pieces at line ends, for several threads.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace mercer::data {

// Pieces that together are the whole text; each but the last ends with a line. At least one.
std::vector<std::string_view> line_chunks(std::string_view text, unsigned threads);

// How many bytes are this one.
std::size_t count_bytes(std::string_view text, char byte);

}  // namespace mercer::data
