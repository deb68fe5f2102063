#include "feature/ldl.hpp"

#include <algorithm>
#include <mercer/error.hpp>

namespace mercer::feature {

namespace {

// A row that no semidefinite matrix has: a negative entry on the diagonal, or a zero there with
// something beside it.
bool shows_negative(const Matrix& G, std::size_t i) {
  if (G[i][i].sign() != 0) return G[i][i].sign() < 0;
  return std::ranges::any_of(G[i], [](const Rational& v) { return !v.is_zero(); });
}

// What is left once the pivot is taken out: G - d l lᵀ.
Factor take_out(Matrix& G, std::size_t pivot) {
  Factor f{G[pivot][pivot], G[pivot]};
  for (auto& v : f.column) v = v / f.d;
  for (std::size_t i = 0; i < G.size(); ++i) {
    if (f.column[i].is_zero()) continue;
    const Rational scaled = f.d * f.column[i];
    for (std::size_t j = 0; j < G.size(); ++j)
      if (!f.column[j].is_zero()) G[i][j] = G[i][j] - scaled * f.column[j];
  }
  return f;
}

Factorization run(Matrix G) {
  Factorization result;
  const auto negative_among = [&](const auto& changed) {
    for (std::size_t i = 0; i < G.size(); ++i)
      if (changed(i) && shows_negative(G, i)) return std::optional(i);
    return std::optional<std::size_t>();
  };
  auto bad = negative_among([](std::size_t) { return true; });
  for (std::size_t pivot = 0; !bad && pivot < G.size(); ++pivot) {
    if (G[pivot][pivot].is_zero()) continue;
    result.factors.push_back(take_out(G, pivot));
    const auto& column = result.factors.back().column;
    bad = negative_among([&](std::size_t i) { return !column[i].is_zero(); });
  }
  result.semidefinite = !bad;
  result.negative = bad.value_or(0);
  return result;
}

}  // namespace

std::optional<Factorization> factorized(Matrix G) {
  try {
    return run(std::move(G));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace mercer::feature
