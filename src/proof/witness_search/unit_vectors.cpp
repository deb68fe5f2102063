#include <algorithm>

#include "proof/candidates.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

const std::vector<Rational>& scales() {
  static const std::vector<Rational> all{
      1, 2, Rational(1, 2), 3, Rational(3, 4), Rational(1, 4), 10, Rational(1, 10), 100};
  return all;
}

Point multiple_of_unit_vector(std::uint32_t d, std::uint32_t i, const Rational& s) {
  Point p(d);
  p[i] = s;
  return p;
}

// Sums of a row of the Gram matrix on s e_i alone; on ±s e_i with like signs, with opposite ones.
enum class Arrangement : std::uint8_t { positive, both, opposite };

double row_sum(Search& search, Arrangement arrangement, const Rational& s) {
  const std::uint32_t d = search.dimension();
  const auto at = [&](std::uint32_t i, const Rational& v) {
    return doubles(multiple_of_unit_vector(d, i, v));
  };
  const auto e1 = at(0, s);
  const auto e2 = at(1, s);
  const double same = search.value(e1, e1);
  const double other = search.value(e1, e2);
  const double others = d - 1;
  if (arrangement == Arrangement::positive) return same + others * other;
  const double back = search.value(e1, at(0, -s));
  const double other_back = search.value(e1, at(1, -s));
  if (arrangement == Arrangement::both) return same + back + others * (other + other_back);
  return same - back + others * (other - other_back);
}

Combination arranged(std::uint32_t d, Arrangement arrangement, const Rational& s) {
  Combination c;
  for (std::uint32_t i = 0; i < d; ++i) {
    c.points.push_back(multiple_of_unit_vector(d, i, s));
    c.coefficients.emplace_back(1);
    if (arrangement == Arrangement::positive) continue;
    c.points.push_back(multiple_of_unit_vector(d, i, -s));
    c.coefficients.emplace_back(arrangement == Arrangement::both ? 1 : -1);
  }
  return c;
}

}  // namespace

std::optional<Witness> unit_vectors(Search& search) {
  const std::uint32_t d = search.dimension();
  constexpr std::uint32_t most = 16;
  if (d == 1 || d > most) return std::nullopt;
  search.allow(50e6);
  for (const auto& s : scales()) {
    std::vector<Point> points;
    points.emplace_back(d);
    for (std::uint32_t i = 0; i < d; ++i)
      for (const auto& v : {s, -s}) points.push_back(multiple_of_unit_vector(d, i, v));
    std::erase_if(points, [&](const Point& p) { return !contains(search.domain(), p); });
    if (points.size() > 1)
      if (auto w = search.on(points)) return w;
    if (search.over()) break;
  }
  return std::nullopt;
}

std::optional<Witness> many_dimensions(const Expr& e, const Domain& domain, std::uint32_t above,
                                       Search::Clock::time_point deadline) {
  std::uint32_t below = std::max<std::uint32_t>(above, 1);  // no witness in these
  for (const std::uint32_t d : {4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 96U, 128U}) {
    if (d <= above) continue;
    for (const auto& s : scales())
      for (const auto arrangement :
           {Arrangement::positive, Arrangement::both, Arrangement::opposite}) {
        if (Search::Clock::now() > deadline) return std::nullopt;
        const auto sum = [&](std::uint32_t in) {
          Search search(e, domain, in, deadline);
          if (search.over() || !contains(domain, multiple_of_unit_vector(in, 0, s))) return 0.0;
          if (arrangement != Arrangement::positive &&
              !contains(domain, multiple_of_unit_vector(in, 0, -s)))
            return 0.0;
          return row_sum(search, arrangement, s);
        };
        constexpr double clearly = -1e-9;
        if (!(sum(d) < clearly)) continue;
        std::uint32_t least = d;
        while (least > below + 1 && sum(least - 1) < clearly) --least;
        if (auto w = Search(e, domain, least, deadline).accept(arranged(least, arrangement, s)))
          return w;
      }
    below = d;
  }
  return std::nullopt;
}

}  // namespace mercer::proof
