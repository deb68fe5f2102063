#include "data/chunks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

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

std::size_t count_bytes(std::string_view text, char byte) {
  // Eight at a time: the high bit of each byte of `other` is set where it is not the one.
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t low = 0x7f * ones;
  const std::uint64_t pattern = ones * static_cast<unsigned char>(byte);
  std::size_t count = 0;
  while (text.size() >= 8) {
    constexpr std::size_t most = 255;  // before the counters, one byte each, run over
    const std::size_t words = std::min(text.size() / 8, most);
    std::uint64_t counters = 0;
    for (std::size_t w = 0; w < words; ++w) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + 8 * w, 8);
      word ^= pattern;
      const std::uint64_t other = ((word & low) + low) | word;
      counters += (~other >> 7U) & ones;
    }
    for (; counters != 0; counters >>= 8U) count += counters & 0xffU;
    text.remove_prefix(8 * words);
  }
  return count + static_cast<std::size_t>(std::ranges::count(text, byte));
}

}  // namespace mercer::data
