#include "base/random.hpp"

#include <algorithm>
#include <numeric>

#include <bit>

#include "base/mix.hpp"

namespace mercer {

RandomNumbers::RandomNumbers(std::uint64_t seed) {
  for (auto& word : state_) {  // splitmix64
    seed += golden_step;
    word = mixed(seed);
  }
}

std::uint64_t RandomNumbers::bits() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17U;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

std::uint64_t RandomNumbers::below(std::uint64_t count) {
  // Numbers past the last full round would favour the small ones.
  const std::uint64_t past = (0 - count) % count;  // 2^64 mod count
  std::uint64_t value = bits();
  while (value < past) value = bits();
  return value % count;
}

double RandomNumbers::uniform() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

double RandomNumbers::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

std::vector<std::size_t> RandomNumbers::sample(std::size_t n, std::size_t count) {
  std::vector<std::size_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (count >= n) return numbers;
  shuffle(numbers);
  numbers.resize(count);
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace mercer
