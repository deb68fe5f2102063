#include "proof/refuter.hpp"

#include <algorithm>

#include "kernel/transform.hpp"
#include "proof/candidates.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/witness_search/shorten.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

Refuter::Refuter(const Expr& e, const Domain& domain, std::uint32_t d, Clock::time_point deadline)
    : e_(e), domain_(domain), d_(d), search_(e, domain, d, deadline) {}

namespace {

constexpr double short_enough = 50;  // worth no more work

// The shortest witness of those met, until one is short enough.
class Shortest {
 public:
  bool done(std::optional<Witness> w) {
    if (w && (!best_ || cost_of(*w) < cost_of(*best_))) best_ = std::move(w);
    return best_ && cost_of(*best_) <= short_enough;
  }
  std::optional<Witness> take() { return std::move(best_); }

 private:
  std::optional<Witness> best_;
};

}  // namespace

std::optional<Witness> Refuter::shortest_of(std::initializer_list<Strategy> strategies) {
  Shortest shortest;
  for (const auto strategy : strategies)
    if (search_.late() || shortest.done(strategy(search_))) break;
  return shortest.take();
}

std::optional<Witness> Refuter::asymmetry() {
  if (algebra::equal(algebra::swap_sides(e_), e_)) return std::nullopt;
  const auto points = simple_points(domain_, d_, 12);
  for (std::size_t j = 0; j < points.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (search_.late()) return std::nullopt;
      Witness w;
      w.dimension = d_;
      w.points = {texts(points[i]), texts(points[j])};
      const auto xz = exact_value(e_, points[i], points[j]);
      const auto zx = exact_value(e_, points[j], points[i]);
      if (xz && zx) {
        if (*xz == *zx) continue;
        w.exact = true;
        w.value_xz = xz->fraction_text();
        w.value_zx = zx->fraction_text();
        return w;
      }
      const auto ball_xz = ball_value(e_, points[i], points[j], 256);
      const auto ball_zx = ball_value(e_, points[j], points[i], 256);
      if (!ball_xz || !ball_zx || ball_xz->overlaps(*ball_zx)) continue;
      w.value_xz = ball_xz->text();
      w.value_zx = ball_zx->text();
      return w;
    }
  }
  return std::nullopt;
}

std::optional<Witness> Refuter::glance() {
  auto w = shortest_of({single_points, simple_sets});
  return w && cost_of(*w) <= short_enough ? std::move(w) : std::nullopt;
}

std::optional<Witness> Refuter::quick() {
  return shortest_of({single_points, simple_sets, differences});
}

std::optional<Witness> Refuter::polynomial() { return shortest_of({polynomial_direction}); }

std::optional<Witness> Refuter::thorough() {
  return shortest_of({unit_vectors, far_points, grids, negative_frequency, descent, random_sets});
}

std::optional<Witness> refute(std::vector<Refuter>& refuters,
                              const std::function<std::optional<Witness>()>& elsewhere) {
  Shortest shortest;
  for (auto& r : refuters)
    if (shortest.done(r.quick())) return shortest.take();
  for (auto& r : refuters)
    if (shortest.done(r.polynomial())) return shortest.take();
  for (auto& r : refuters)
    if (shortest.done(r.thorough())) return shortest.take();
  shortest.done(elsewhere());
  return shortest.take();
}

}  // namespace mercer::proof
