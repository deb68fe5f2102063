#include <algorithm>

#include "kernel/domain_body.hpp"
#include "proof/candidates.hpp"
#include "proof/witness_search/shorten.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

// 10^k and 10^-k, and close to the ends of an interval.
std::vector<Rational> far_values(const Domain& domain) {
  std::vector<Rational> values;
  const auto& body = domain.body();
  for (int k = 1; k <= 9; ++k) {
    const Rational large = *power(Rational(10), k);
    for (const auto& v : {large, Rational(1) / large}) {
      values.push_back(v);
      values.push_back(-v);
      if (body.low) values.push_back(*body.low + v);
      if (body.high) values.push_back(*body.high - v);
    }
  }
  return values;
}

}  // namespace

std::optional<Witness> single_points(Search& search) {
  search.allow(20e6);
  std::vector<Point> points = simple_points(search.domain(), search.dimension(), 100);
  for (const auto& v : far_values(search.domain())) {
    Point along(search.dimension());
    along[0] = v;
    points.push_back(std::move(along));
    points.emplace_back(search.dimension(), v);
  }
  std::erase_if(points, [&](const Point& p) { return !contains(search.domain(), p); });
  std::ranges::stable_sort(points, {}, [](const Point& p) { return length_of(p); });
  // What is 0 in doubles, or beyond them, may still be negative: a few are looked at.
  constexpr int few = 8;
  int doubtful = 0;
  for (const auto& p : points) {
    if (search.over()) break;
    const auto at = doubles(p);
    const double value = search.value(at, at);
    if (value > 0 || (!(value < 0) && ++doubtful > few)) continue;
    if (auto w = search.accept({{p}, {1}})) return w;
  }
  return std::nullopt;
}

}  // namespace mercer::proof
