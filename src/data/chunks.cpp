#include "data/chunks.hpp"

#include <algorithm>

#include "base/machine.hpp"

namespace mercer::data {

std::vector<std::string_view> line_chunks(std::string_view text, unsigned threads) {
  // A few per thread, so that none waits long for the others.
  constexpr std::size_t smallest = std::size_t{1} << 18U;
  const std::size_t wanted = threads == 0 ? hardware_threads() : threads;
  const std::size_t size = std::max(smallest, text.size() / (wanted == 1 ? 1 : 4 * wanted) + 1);
  std::vector<std::string_view> pieces;
  while (text.size() > size) {
    const auto stop = text.find('\n', size - 1);
    if (stop == std::string_view::npos) break;
    pieces.push_back(text.substr(0, stop + 1));
    text.remove_prefix(stop + 1);
  }
  if (!text.empty() || pieces.empty()) pieces.push_back(text);
  return pieces;
}

}  // namespace mercer::data
