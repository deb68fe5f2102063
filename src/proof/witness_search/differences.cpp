#include <algorithm>

#include "kernel/form.hpp"
#include "proof/candidates.hpp"
#include "proof/series.hpp"
#include "proof/taylor.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

std::vector<Rational> alternating_binomials(int m) {
  std::vector<Rational> result;
  Rational c = 1;
  for (int i = 0; i <= m; ++i) {
    result.push_back(i % 2 == 0 ? c : -c);
    c = c * Rational(m - i, i + 1);
  }
  return result;
}

// The order of the first negative coefficient of a function of x·z.
std::optional<int> negative_order(const Expr& e) {
  const auto variables = variables_of(e);
  const auto dot = std::ranges::find_if(variables, algebra::is_dot_product);
  if (dot == variables.end()) return std::nullopt;
  const auto signs = series_signs(e, *dot, [](const Expr&) { return true; });
  constexpr std::size_t largest = 24;
  if (!signs.negative || *signs.negative > largest || *signs.negative == 0) return std::nullopt;
  return static_cast<int>(*signs.negative);
}

std::vector<Point> line(const Point& from, const Point& direction, const Rational& step, int m) {
  std::vector<Point> points;
  for (int i = 0; i <= m; ++i) {
    Point p = from;
    for (std::size_t c = 0; c < p.size(); ++c) p[c] += Rational(i) * step * direction[c];
    points.push_back(std::move(p));
  }
  return points;
}

const std::vector<Rational>& steps() {
  static const std::vector<Rational> all{1,
                                         Rational(1, 2),
                                         Rational(1, 4),
                                         Rational(1, 10),
                                         Rational(1, 20),
                                         Rational(1, 100),
                                         Rational(1, 1000),
                                         Rational(1, 10'000),
                                         Rational(1, 100'000),
                                         Rational(1, 100'000'000),
                                         Rational(1, 1'000'000'000'000)};
  return all;
}

// On these points, by the eigenvector or else by the binomials.
std::optional<Witness> on_line(Search& search, const std::vector<Point>& points) {
  const bool inside =
      std::ranges::all_of(points, [&](const Point& p) { return contains(search.domain(), p); });
  if (!inside) return std::nullopt;
  constexpr long many_bits = 640;
  auto w = search.accept({points, alternating_binomials(static_cast<int>(points.size()) - 1)},
                         many_bits);
  if (!w) return std::nullopt;
  auto shorter = search.on(points);
  return shorter ? shorter : w;
}

std::optional<Witness> by_series(Search& search) {
  const auto m = negative_order(search.kernel());
  if (!m) return std::nullopt;
  // Symmetric around 0 where the domain allows that.
  Point u(search.dimension());
  u[0] = 1;
  for (const auto& step : steps()) {
    const Rational half = step * Rational(*m, 2);
    for (const auto& first : {*m % 2 == 0 ? -half : Rational(-*m) * step, Rational(0), step}) {
      if (search.over()) return std::nullopt;
      Point from(search.dimension());
      from[0] = first;
      const Rational by = first.sign() < 0 && *m % 2 != 0 ? step + step : step;
      if (auto w = on_line(search, line(from, u, by, *m))) return w;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Witness> differences(Search& search) {
  search.allow(150e6);
  if (search.domain().kind() == Domain::Kind::sphere) return std::nullopt;
  if (auto w = by_series(search)) return w;
  const std::uint32_t d = search.dimension();
  std::vector<Point> directions;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(d, 2); ++i) {
    Point u(d);
    u[i] = 1;
    directions.push_back(u);
  }
  if (d > 1) directions.emplace_back(d, Rational(1));
  const auto centres = simple_points(search.domain(), d, search.stationary() ? 1 : 3);
  for (int m = 1; m <= 6; ++m)
    for (const auto& centre : centres)
      for (const auto& u : directions)
        for (const auto& h : steps()) {
          if (search.over()) return std::nullopt;
          if (m > 4 && h < Rational(1, 1000)) continue;
          if (auto w = on_line(search, line(centre, u, h, m))) return w;
        }
  return std::nullopt;
}

}  // namespace mercer::proof
