// The polynomial of degree n - 1 that agrees with a function at the zeros of the Chebyshev
// polynomial of degree n.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace mercer::gram {

template <std::size_t n>
double chebyshev_zero(std::size_t i) {
  return std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / n);
}

// By the powers of u in [-1, 1], from the values at the zeros.
template <std::size_t n>
std::array<double, n> chebyshev_polynomial(const std::array<double, n>& values) {
  std::array<double, n> before{};  // Chebyshev polynomials, by powers
  std::array<double, n> now{};
  before[0] = 1;
  now[1] = 1;
  std::array<double, n> sum{};
  for (std::size_t k = 0; k < n; ++k) {
    double a = 0;
    for (std::size_t i = 0; i < n; ++i)
      a += values[i] *
           std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(i) + 0.5) / n);
    a *= (k == 0 ? 1.0 : 2.0) / n;
    std::array<double, n> next{};
    for (std::size_t j = 0; j < n; ++j) {
      sum[j] += a * before[j];
      next[j] = (j > 0 ? 2 * now[j - 1] : 0) - before[j];
    }
    before = now;
    now = next;
  }
  return sum;
}

}  // namespace mercer::gram
