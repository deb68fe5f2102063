#include "gram/matern_table.hpp"

#include <cmath>
#include <map>
#include <mutex>

#include "gram/chebyshev.hpp"
#include "kernel/matern.hpp"

namespace mercer::gram {

MaternTable::MaternTable(double nu)
    : nu_(nu), pieces_(expand(nu)), floats_(*this), doubles_(*this) {}

std::vector<MaternTable::Piece> MaternTable::expand(double nu) {
  std::vector<Piece> pieces;
  const auto last = std::bit_cast<std::uint64_t>(largest) >> 50U;
  constexpr std::size_t n = degree + 1;
  for (std::uint64_t piece = first; piece < last; ++piece) {
    const auto begin = std::bit_cast<double>(piece << 50U);
    const auto end = std::bit_cast<double>((piece + 1) << 50U);
    std::array<double, n> values{};
    for (std::size_t i = 0; i < n; ++i) {
      const double at = begin + (end - begin) * (chebyshev_zero<n>(i) + 1) / 2;
      const double scale = std::exp(exponent(nu, at));
      values[i] = scale > 0 ? algebra::matern_function(nu, at) / scale : 0;
    }
    pieces.push_back({.scale = 2 / (end - begin), .c = chebyshev_polynomial(values)});
  }
  return pieces;
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
