#include "proof/features_gram.hpp"

#include <algorithm>

#include "kernel/transform.hpp"
#include "proof/constant_sign.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

std::optional<FeatureGram> feature_gram(const Expr& e) {
  struct Entry {
    std::size_t i;
    std::size_t j;
    Expr c;
  };
  FeatureGram gram;
  std::vector<Entry> entries;
  std::vector<algebra::Term> rest;
  const auto index = [&](const Expr& f) {
    const auto at =
        std::ranges::find_if(gram.features, [&](const Expr& g) { return algebra::equal(f, g); });
    const auto i = static_cast<std::size_t>(at - gram.features.begin());
    if (at == gram.features.end()) gram.features.push_back(f);
    return i;
  };
  const auto add = [&](const Rational& c, const Expr& term) {
    const Sides sides = split_sides(term);
    if (!std::ranges::all_of(sides.mixed, [](const Expr& f) { return algebra::is_constant(f); }) ||
        sides.of_x->free_levels != 0) {
      rest.push_back({c, term});
      return;
    }
    entries.push_back({index(sides.of_x), index(algebra::swap_sides(sides.of_z)),
                       algebra::scale(c, algebra::multiply(sides.mixed))});
  };
  if (e->op == Op::sum) {
    for (std::size_t i = 0; i < e->args.size(); ++i) add(e->coefficients[i], e->args[i]);
    if (!e->number.is_zero()) add(e->number, algebra::number(1));
  } else {
    add(1, e);
  }
  constexpr std::size_t largest = 16;
  const std::size_t n = gram.features.size();
  if (n == 0 || n > largest) return std::nullopt;
  gram.G.assign(n, std::vector<Expr>(n, algebra::number(0)));
  for (const auto& [i, j, c] : entries) gram.G[i][j] = algebra::add(gram.G[i][j], c);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!algebra::equal(gram.G[i][j], gram.G[j][i])) return std::nullopt;
  gram.rest = algebra::sum(rest);
  return gram;
}

std::optional<Inertia> inertia(std::vector<std::vector<Expr>> G) {
  Inertia result;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < G.size(); ++i) open.push_back(i);
  const auto eliminate = [&](std::size_t i, std::size_t j, const Expr& pivot) {
    // G_ab -= (G_ai G_jb)/pivot, for a 1x1 pivot i = j
    for (const auto a : open)
      for (const auto b : open)
        G[a][b] =
            algebra::subtract(G[a][b], algebra::divide(algebra::multiply(G[a][i], G[j][b]), pivot));
  };
  while (!open.empty()) {
    bool found = false;
    for (const auto i : open) {
      const auto sign = constant_sign(G[i][i]);
      if (!sign) return std::nullopt;
      if (*sign == 0) continue;
      ++(*sign > 0 ? result.positive : result.negative);
      std::erase(open, i);
      eliminate(i, i, Expr(G[i][i]));
      found = true;
      break;
    }
    if (found) continue;
    // All diagonal entries are 0: a pair i, j with something between them is one direction up, one
    // down; e_i + e_j brings the pivot to the diagonal.
    for (const auto i : open) {
      for (const auto j : open) {
        const auto sign = constant_sign(G[i][j]);
        if (!sign) return std::nullopt;
        if (*sign == 0 || found) continue;
        for (const auto b : open) G[i][b] = algebra::add(G[i][b], G[j][b]);
        for (const auto a : open) G[a][i] = algebra::add(G[a][i], G[a][j]);
        found = true;
      }
      if (found) break;
    }
    if (!found) break;
  }
  return result;
}

}  // namespace mercer::proof
