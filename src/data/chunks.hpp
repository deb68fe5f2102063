// A text cut into pieces at line ends, for several threads.
#pragma once

#include <string_view>
#include <vector>

namespace mercer::data {

// Pieces that together are the whole text; each but the last ends with a line. At least one.
std::vector<std::string_view> line_chunks(std::string_view text, unsigned threads);

}  // namespace mercer::data
