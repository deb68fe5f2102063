#include "gram/matern_pieces.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "gram/chebyshev.hpp"
#include "gram/matern_table.hpp"

namespace mercer::gram {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

}  // namespace

template <class T>
MaternPieces<T>::MaternPieces(const MaternTable& table) {
  low = static_cast<T>(0x1p-24);
  high = static_cast<T>(64);
  constexpr T last = 512;  // exp(t) M(t) has a value
  constexpr T farthest = static_cast<T>(0x1p60);
  constexpr auto nothing = static_cast<double>(std::numeric_limits<T>::min());
  while (high < last && table(static_cast<double>(high)) >= nothing) high *= 2;
  zero = high;
  while (zero < farthest && table(static_cast<double>(zero)) >= nothing) zero *= 2;
  constexpr int most = 8;
  for (bits = 4; bits <= most; ++bits)
    if (fit(table)) return;
  c.clear();
}

template <class T>
bool MaternPieces<T>::fit(const MaternTable& table) {
  constexpr std::size_t n = coefficients;
  constexpr auto tolerance = static_cast<double>(std::numeric_limits<T>::epsilon());
  shift = std::numeric_limits<T>::digits - 1 - bits;
  first = static_cast<std::int64_t>(std::bit_cast<Bits<T>>(low) >> static_cast<unsigned>(shift));
  const auto end =
      static_cast<std::int64_t>(std::bit_cast<Bits<T>>(high) >> static_cast<unsigned>(shift));
  c.clear();
  const auto without_decay = [&](double t) { return table(t) * std::exp(t / 2) * std::exp(t / 2); };
  const auto start = [&](std::int64_t piece) {
    return static_cast<double>(std::bit_cast<T>(
        static_cast<Bits<T>>(static_cast<Bits<T>>(piece) << static_cast<unsigned>(shift))));
  };
  for (std::int64_t piece = first; piece < end; ++piece) {
    const double begin = start(piece);
    const double half = (start(piece + 1) - begin) / 2;
    std::array<double, n> values{};
    for (std::size_t i = 0; i < n; ++i)
      values[i] = without_decay(begin + half * (1 + chebyshev_zero<n>(i)));
    const auto powers = chebyshev_polynomial(values);
    // Between the zeros, where the error is largest, nothing beyond rounding may be left.
    for (std::size_t i = 0; i <= n; ++i) {
      const double u = std::cos(std::numbers::pi * static_cast<double>(i) / n);
      double p = 0;
      for (std::size_t k = n; k-- > 0;) p = p * u + powers[k];
      const double exact = without_decay(begin + half * (1 + u));
      const double rounding = 2e-15 * (5 + begin);  // of the table's exponent, above all
      if (!(std::abs(p - exact) <= (tolerance + rounding) * exact)) return false;
    }
    for (const double power : powers) {
      c.push_back(static_cast<T>(power));
      if (!std::isfinite(c.back())) return false;
    }
  }
  return true;
}

template struct MaternPieces<float>;
template struct MaternPieces<double>;

}  // namespace mercer::gram
