// Random numbers that are the same on every machine, for splits and for made data.
//
// xoshiro256++ (Blackman and Vigna, 2019; https://prng.di.unimi.it), seeded by splitmix64. The
// distributions are our own, too: those of the standard library differ from one to the next.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace mercer {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed);

  std::uint64_t bits();
  // 0 … count-1, each equally likely.
  std::uint64_t below(std::uint64_t count);
  // In [0, 1), a multiple of 2^-53.
  double uniform();
  // Mean 0, deviation 1, nearly normal: twelve uniform numbers less their mean (Irwin-Hall). No
  // logarithm and no cosine, whose last digit depends on the system.
  double normal();

  // `count` different ones of 0 … n-1, ascending; all where there are no more.
  std::vector<std::size_t> sample(std::size_t n, std::size_t count);

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace mercer
