#include <algorithm>

#include "kernel/domain_body.hpp"
#include "proof/candidates.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

// The points from + step·(i, j, …) with i, j, … < side, those of them in the domain.
std::vector<Point> grid(const Search& search, const Rational& from, const Rational& step,
                        std::int64_t side, std::uint32_t axes) {
  std::vector<Point> points;
  std::vector<std::int64_t> at(axes, 0);
  for (;;) {
    Point p(search.dimension());
    if (search.domain().kind() != Domain::Kind::ball) std::ranges::fill(p, from);
    for (std::uint32_t c = 0; c < axes; ++c) p[c] = from + step * Rational(at[c]);
    if (contains(search.domain(), p)) points.push_back(std::move(p));
    std::uint32_t c = 0;
    while (c < axes && ++at[c] == side) at[c++] = 0;
    if (c == axes) break;
  }
  return points;
}

struct Shape {
  std::uint32_t axes;
  std::int64_t side;
};

std::vector<Shape> shapes(const Search& search) {
  const std::uint32_t d = search.dimension();
  std::vector<Shape> all{{1, 3}, {1, 5}, {1, 8}};
  if (d == 2) all = {{2, 2}, {2, 3}, {1, 5}, {2, 4}, {2, 5}, {1, 12}, {2, 6}, {2, 7}};
  if (d >= 3) all = {{2, 2}, {3, 2}, {2, 3}, {3, 3}, {2, 5}, {3, 4}};
  if (d == 1) all.insert(all.end(), {{1, 12}, {1, 20}, {1, 32}});
  if (search.stationary()) {
    if (d == 1) all.insert(all.end(), {{1, 48}, {1, 80}});
    if (d == 2) all.insert(all.end(), {{2, 9}});
    if (d >= 3) all.insert(all.end(), {{3, 5}});
  }
  return all;
}

std::optional<Witness> on_sphere(Search& search) {
  const std::uint32_t d = search.dimension();
  for (const std::size_t n : {2 * d, 14U, 30U, 54U, 102U, 150U}) {
    if (auto w = search.on(simple_points(search.domain(), d, n))) return w;
    if (search.over()) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Witness> grids(Search& search) {
  search.allow(300e6);
  const auto& body = search.domain().body();
  if (body.kind == Domain::Kind::sphere) return on_sphere(search);
  if (body.kind == Domain::Kind::finite)
    return search.on(simple_points(search.domain(), search.dimension(), 100));
  const bool bounded = body.kind == Domain::Kind::ball || (body.low && body.high);
  const bool whole = body.kind == Domain::Kind::integers || body.kind == Domain::Kind::naturals;
  for (const auto& [axes, side] : shapes(search)) {
    if (bounded) {
      const Rational low = body.kind == Domain::Kind::ball ? -body.radius : *body.low;
      const Rational high = body.kind == Domain::Kind::ball ? body.radius : *body.high;
      for (const std::int64_t parts : {1, 4, 16}) {
        const Rational width = (high - low) / Rational(parts);
        const Rational step = width / Rational(side + 1);
        if (auto w = search.on(grid(search, low + step, step, side, axes))) return w;
        const Rational closed = width / Rational(std::max<std::int64_t>(side - 1, 1));
        if (auto w = search.on(grid(search, low, closed, side, axes))) return w;
        if (search.over()) return std::nullopt;
      }
      continue;
    }
    for (const auto& step :
         {Rational(1), Rational(1, 2), Rational(2), Rational(1, 4), Rational(3, 4), Rational(3, 2),
          Rational(5), Rational(1, 10), Rational(5, 4), Rational(7, 10), Rational(3, 10),
          Rational(3), Rational(10), Rational(100)}) {
      if (whole && !step.is_integer()) continue;
      std::vector<Rational> starts;
      const Rational first = body.kind == Domain::Kind::naturals ? Rational(1)
                             : body.low  ? (body.low_open ? *body.low + step : *body.low)
                             : body.high ? *body.high - step * Rational(side)
                                         : Rational(0);
      starts.push_back(first);
      if (!search.stationary()) {
        if (!body.low && !body.high && body.kind != Domain::Kind::naturals)
          starts.push_back(-step * Rational(side / 2));
        starts.push_back(first + Rational(1));
      }
      for (const auto& from : starts) {
        if (auto w = search.on(grid(search, from, step, side, axes))) return w;
        if (search.over()) return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

}  // namespace mercer::proof
