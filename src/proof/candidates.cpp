#include "proof/candidates.hpp"

#include <algorithm>

#include "kernel/domain_body.hpp"

namespace mercer::proof {

namespace {

using Kind = Domain::Kind;

Rational fraction(std::int64_t up, std::int64_t down) { return Rational(up) / Rational(down); }

bool contains_value(const Domain::Body& d, const Rational& v) {
  switch (d.kind) {
    case Kind::integers:
      return v.is_integer();
    case Kind::naturals:
      return v.is_integer() && v >= Rational(1);
    case Kind::interval:
      if (d.low && (v < *d.low || (d.low_open && v == *d.low))) return false;
      return !d.high || v < *d.high || (!d.high_open && v == *d.high);
    case Kind::finite:
      return std::ranges::find(d.values, v) != d.values.end();
    default:
      return true;
  }
}

// Vectors of whole numbers of length N, divided by N.
void add_with_denominator(std::int64_t N, std::int64_t left, Point& p, std::size_t at,
                          std::size_t most, std::vector<Point>& points) {
  if (points.size() >= most) return;
  if (at + 1 == p.size()) {
    const auto last = exact_sqrt(Rational(left));
    if (!last) return;
    for (const int sign : {1, -1}) {
      p[at] = *last * Rational(sign, N);
      const bool reduced =
          std::ranges::any_of(p, [&](const Rational& v) { return v.denominator() == Rational(N); });
      if (reduced && points.size() < most) points.push_back(p);
      if (last->is_zero()) break;
    }
    return;
  }
  for (std::int64_t v = 0; v * v <= left; ++v)
    for (const int sign : {1, -1}) {
      p[at] = Rational(sign * v, N);
      add_with_denominator(N, left - v * v, p, at + 1, most, points);
      if (v == 0) break;
    }
}

// Rational points of the unit sphere, those of small denominators first.
std::vector<Point> sphere_points(std::uint32_t d, std::size_t most) {
  std::vector<Point> points;
  for (std::uint32_t i = 0; i < d; ++i)
    for (const int sign : {1, -1}) {
      Point p(d);
      p[i] = sign;
      points.push_back(p);
    }
  if (d == 1) return points;
  const std::int64_t largest = d == 2 ? 400 : 60;
  for (std::int64_t N = 2; N <= largest && points.size() < most; ++N) {
    Point p(d);
    add_with_denominator(N, N * N, p, 0, most, points);
  }
  return points;
}

}  // namespace

bool contains(const Domain& domain, const Point& point) {
  const auto& d = domain.body();
  if (d.kind == Kind::ball || d.kind == Kind::sphere) {
    Rational squared;
    for (const auto& v : point) squared += v * v;
    return d.kind == Kind::ball ? squared <= d.radius * d.radius : squared == Rational(1);
  }
  return std::ranges::all_of(point, [&](const Rational& v) { return contains_value(d, v); });
}

std::vector<Rational> simple_values(const Domain& domain) {
  const auto& d = domain.body();
  if (d.kind == Kind::finite) return d.values;
  std::vector<Rational> values;
  const auto add = [&](const Rational& v) {
    if (contains_value(d, v) && std::ranges::find(values, v) == values.end()) values.push_back(v);
  };
  if (d.kind == Kind::ball || (d.kind == Kind::interval && d.low && d.high)) {
    const Rational low = d.kind == Kind::ball ? -d.radius : *d.low;
    const Rational high = d.kind == Kind::ball ? d.radius : *d.high;
    const Rational width = high - low;
    for (const std::int64_t v : {0, 1, -1})
      if (Rational(v) >= low && Rational(v) <= high) add(v);
    for (const std::int64_t parts : {2, 4, 8, 16, 3, 5})
      for (std::int64_t i = 0; i <= parts; ++i) add(low + width * fraction(i, parts));
    for (const std::int64_t parts : {100, 1000, 1000000})
      for (const std::int64_t i : {std::int64_t{1}, parts - 1})
        add(low + width * fraction(i, parts));
    return values;
  }
  for (const std::int64_t v : {0, 1, -1, 2, -2}) add(v);
  for (const std::int64_t up : {1, -1}) add(fraction(up, 2));
  for (const std::int64_t v : {3, -3, 4, -4, 5, -5}) add(v);
  for (const std::int64_t up : {1, -1}) add(fraction(up, 4));
  for (const std::int64_t v : {6, -6, 8, -8, 10, -10}) add(v);
  for (const std::int64_t down : {2, 4, 3, 8, 10, 100, 1000})
    for (const std::int64_t up : {3, -3, 1, -1}) add(fraction(up, down));
  if (d.low)
    for (const std::int64_t v : {1, 2, 3, 5, 10}) add(*d.low + Rational(v));
  if (d.low) add(*d.low);
  if (d.high)
    for (const std::int64_t v : {1, 2, 3, 5, 10}) add(*d.high - Rational(v));
  if (d.high) add(*d.high);
  for (const std::int64_t v : {20, -20, 50, -50, 100, -100, 1000, -1000}) add(v);
  return values;
}

std::vector<Point> simple_points(const Domain& domain, std::uint32_t d, std::size_t most) {
  if (domain.kind() == Kind::sphere) return sphere_points(d, most);
  const auto values = simple_values(domain);
  std::vector<Point> points;
  if (values.empty()) return points;
  // All points over the first k values, for growing k: those of simple coordinates come first.
  for (std::size_t k = 1; k <= values.size() && points.size() < most; ++k) {
    std::vector<std::size_t> at(d, 0);
    for (;;) {
      if (std::ranges::find(at, k - 1) != at.end()) {
        Point p;
        for (const auto i : at) p.push_back(values[i]);
        if (contains(domain, p)) points.push_back(std::move(p));
        if (points.size() >= most) break;
      }
      std::size_t i = 0;
      while (i < at.size() && ++at[i] == k) at[i++] = 0;
      if (i == at.size()) break;
    }
  }
  return points;
}

std::optional<std::vector<Point>> all_points(const Domain& domain, std::uint32_t d,
                                             std::size_t most) {
  const auto& body = domain.body();
  constexpr std::uint32_t widest = 64;
  if (d > widest) return std::nullopt;
  if (body.kind == Kind::sphere && d == 1) return sphere_points(1, 2);
  if (body.kind == Kind::interval && body.low && body.high && *body.low == *body.high)
    return std::vector<Point>{Point(d, *body.low)};
  if (body.kind != Kind::finite) return std::nullopt;
  auto points = simple_points(domain, d, most + 1);
  if (points.size() > most) return std::nullopt;
  return points;
}

}  // namespace mercer::proof
