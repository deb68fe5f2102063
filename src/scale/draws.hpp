// Random numbers of some distributions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.hpp"

namespace mercer::scale {

// Distributions whose densities matter, unlike those of made data.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  double uniform() { return random_.uniform(); }
  double normal();
  double gamma(double shape);
  std::size_t poisson(double mean);
  bool coin() { return (random_.bits() >> 63U) != 0; }

 private:
  RandomNumbers random_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace mercer::scale
