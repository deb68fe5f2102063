// Random numbers for tests: the same on every machine, unlike the standard distributions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <vector>

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }

  // 0 … count-1; the bias of the remainder does not matter here
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

  bool one_in(std::size_t n) { return below(n) == 0; }

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }

  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }

  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

  std::vector<double> point(std::size_t dimension, double low, double high) {
    std::vector<double> result(dimension);
    for (auto& v : result) v = uniform(low, high);
    return result;
  }

  // Mostly small whole numbers and halves, where arithmetic is exact and borders are met.
  std::vector<double> round_point(std::size_t dimension, double low, double high) {
    std::vector<double> result;
    while (result.size() < dimension) {
      const double v = (static_cast<double>(below(9)) - 4) / 2;
      if (v >= low && v <= high) result.push_back(v);
    }
    return result;
  }

 private:
  std::mt19937_64 engine_;
};
