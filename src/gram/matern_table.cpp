#include "gram/matern_table.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "kernel/matern.hpp"

namespace mercer::gram {

MaternTable::MaternTable(double nu) : nu_(nu) {
  const auto last = std::bit_cast<std::uint64_t>(largest) >> 50U;
  constexpr std::size_t n = degree + 1;
  // Chebyshev polynomials by the powers of u.
  std::array<std::array<double, n>, n> t{};
  t[0][0] = 1;
  t[1][1] = 1;
  for (std::size_t k = 2; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) t[k][j] = (j > 0 ? 2 * t[k - 1][j - 1] : 0) - t[k - 2][j];

  for (std::uint64_t piece = first; piece < last; ++piece) {
    const auto begin = std::bit_cast<double>(piece << 50U);
    const auto end = std::bit_cast<double>((piece + 1) << 50U);
    std::array<double, n> values{};
    for (std::size_t i = 0; i < n; ++i) {
      const double u = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / n);
      const double at = begin + (end - begin) * (u + 1) / 2;
      const double scale = std::exp(exponent(at));
      values[i] = scale > 0 ? algebra::matern_function(nu, at) / scale : 0;
    }
    Piece p{.scale = 2 / (end - begin), .c = {}};
    for (std::size_t k = 0; k < n; ++k) {
      double a = 0;
      for (std::size_t i = 0; i < n; ++i)
        a += values[i] * std::cos(std::numbers::pi * static_cast<double>(k) *
                                  (static_cast<double>(i) + 0.5) / n);
      a *= (k == 0 ? 1.0 : 2.0) / n;
      for (std::size_t j = 0; j < n; ++j) p.c[j] += a * t[k][j];
    }
    pieces_.push_back(p);
  }
}

double MaternTable::beyond(double t) const {
  return t >= 0 ? algebra::matern_function(nu_, t) : std::nan("");
}

std::shared_ptr<const MaternTable> MaternTable::of(double nu) {
  static std::mutex mutex;
  static std::map<double, std::weak_ptr<const MaternTable>> known;
  const std::scoped_lock lock(mutex);
  auto& entry = known[nu];
  auto table = entry.lock();
  if (!table) {
    table = std::make_shared<const MaternTable>(nu);
    entry = table;
  }
  return table;
}

}  // namespace mercer::gram
