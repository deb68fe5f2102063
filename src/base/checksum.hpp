// A checksum of 64 bits: XXH64 with seed 0, by its specification
// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md). It runs at the speed of memory,
// and every one of its steps is a bijection of the eight bytes that it takes in: a change within
// eight aligned bytes is always seen, any other but for one in 2^64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mercer {

class Checksum {
 public:
  // Bytes in any number of pieces; how they are cut does not matter.
  void add(std::string_view bytes);
  [[nodiscard]] std::uint64_t value() const;

 private:
  static constexpr std::size_t stripe = 32;

  void take(const char* bytes);

  std::array<std::uint64_t, 4> lanes_{0x60ea27eeadc0b5d6U, 0xc2b2ae3d27d4eb4fU, 0,
                                      0x61c8864e7a143579U};
  std::array<char, stripe> waiting_{};  // less than a stripe
  std::size_t held_ = 0;
  std::uint64_t length_ = 0;
};

std::uint64_t checksum(std::string_view bytes);

}  // namespace mercer
