#include "base/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mercer {

namespace {

constexpr std::uint64_t prime1 = 0x9e3779b185ebca87U;
constexpr std::uint64_t prime2 = 0xc2b2ae3d27d4eb4fU;
constexpr std::uint64_t prime3 = 0x165667b19e3779f9U;
constexpr std::uint64_t prime4 = 0x85ebca77c2b2ae63U;
constexpr std::uint64_t prime5 = 0x27d4eb2f165667c5U;

static_assert(std::endian::native == std::endian::little, "words are read as they stand");

template <class Word>
std::uint64_t word_at(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

}  // namespace

void Checksum::take(const char* bytes) {
  for (std::size_t k = 0; k < lanes_.size(); ++k)
    lanes_[k] = mixed(lanes_[k], word_at<std::uint64_t>(bytes + 8 * k));
}

void Checksum::add(std::string_view bytes) {
  length_ += bytes.size();
  if (held_ > 0) {
    const std::size_t count = std::min(stripe - held_, bytes.size());
    std::copy_n(bytes.data(), count, waiting_.data() + held_);
    held_ += count;
    bytes.remove_prefix(count);
    if (held_ < stripe) return;
    take(waiting_.data());
    held_ = 0;
  }
  for (; bytes.size() >= stripe; bytes.remove_prefix(stripe)) take(bytes.data());
  std::copy_n(bytes.data(), bytes.size(), waiting_.data());
  held_ = bytes.size();
}

std::uint64_t Checksum::value() const {
  std::uint64_t sum = prime5;
  if (length_ >= stripe) {
    sum = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
          std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) sum = (sum ^ mixed(0, lane)) * prime1 + prime4;
  }
  sum += length_;
  const char* p = waiting_.data();
  const char* end = p + held_;
  for (; end - p >= 8; p += 8)
    sum = std::rotl(sum ^ mixed(0, word_at<std::uint64_t>(p)), 27) * prime1 + prime4;
  if (end - p >= 4) {
    sum = std::rotl(sum ^ (word_at<std::uint32_t>(p) * prime1), 23) * prime2 + prime3;
    p += 4;
  }
  for (; p != end; ++p)
    sum = std::rotl(sum ^ (static_cast<unsigned char>(*p) * prime5), 11) * prime1;
  sum = (sum ^ (sum >> 33U)) * prime2;
  sum = (sum ^ (sum >> 29U)) * prime3;
  return sum ^ (sum >> 32U);
}

std::uint64_t checksum(std::string_view bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

}  // namespace mercer
