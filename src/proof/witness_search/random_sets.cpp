#include <algorithm>
#include <random>

#include "proof/candidates.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

std::optional<Witness> random_sets(Search& search) {
  search.allow(50e6);
  std::mt19937_64 random(20261115);
  const auto draw = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto many = simple_points(search.domain(), search.dimension(), 1000);
  if (many.size() < 2) return std::nullopt;
  for (std::size_t round = 0; round < 200 && !search.over(); ++round) {
    const std::size_t reach = std::min<std::size_t>(many.size(), 10 + round * 5);
    std::vector<Point> set;
    const std::size_t n = 3 + draw(10);
    for (std::size_t i = 0; i < n; ++i) {
      const Point& p = many[draw(reach)];
      if (std::ranges::find(set, p) == set.end()) set.push_back(p);
    }
    if (auto w = search.on(set)) return w;
  }
  return std::nullopt;
}

}  // namespace mercer::proof
