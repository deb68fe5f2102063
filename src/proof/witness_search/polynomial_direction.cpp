#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "proof/candidates.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/witness_search/shorten.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

std::vector<Rational> rounded(const std::vector<Rational>& a, std::int64_t unit) {
  Rational largest;
  for (const auto& v : a) largest = std::max(largest, abs(v));
  std::vector<Rational> result;
  result.reserve(a.size());
  for (const auto& v : a)
    result.emplace_back(static_cast<std::int64_t>(
        std::llround((v / largest).to_double() * static_cast<double>(unit))));
  return result;
}

}  // namespace

std::optional<Witness> polynomial_direction(Search& search) {
  search.allow(300e6);
  const Domain& domain = search.domain();
  const std::uint32_t d = search.dimension();
  const auto gram = polynomial_gram(search.kernel(), d, domain);
  if (!gram) return std::nullopt;
  const auto answer = definiteness(gram->G);
  if (!answer || answer->semidefinite) return std::nullopt;
  // Points whose monomials are independent, and Σ a_i m(x_i) = v for the negative direction v: then
  // Σ a_i a_j k(x_i, x_j) = vᵀGv.
  const std::size_t n = gram->monomials.size();
  const auto value = [&](const algebra::Monomial& m, const Point& p) {
    Rational v = 1;
    for (const auto& [index, exponent] : m) v = v * *power(p[index - 1], exponent);
    return v;
  };
  try {
    std::vector<Point> chosen;
    Matrix reduced;                  // echelon form of the chosen rows
    std::vector<std::size_t> leads;  // their leading columns
    Matrix rows;
    for (const auto& p : simple_points(domain, d, 40 * n + 100)) {
      if (chosen.size() == n || search.over()) break;
      std::vector<Rational> row;
      for (const auto& m : gram->monomials) row.push_back(value(m, p));
      std::vector<Rational> rest = row;
      for (std::size_t i = 0; i < reduced.size(); ++i) {
        const Rational ratio = rest[leads[i]];
        if (ratio.is_zero()) continue;
        for (std::size_t j = 0; j < n; ++j) rest[j] = rest[j] - ratio * reduced[i][j];
      }
      const auto lead = std::ranges::find_if(rest, [](const Rational& r) { return !r.is_zero(); });
      if (lead == rest.end()) continue;
      const Rational scale = *lead;
      leads.push_back(static_cast<std::size_t>(lead - rest.begin()));
      for (auto& r : rest) r = r / scale;
      reduced.push_back(rest);
      chosen.push_back(p);
      rows.push_back(std::move(row));
    }
    if (chosen.size() < n) return std::nullopt;
    // Solve rowsᵀ a = v.
    Matrix system(n, std::vector<Rational>(n + 1));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) system[i][j] = rows[j][i];
      system[i][n] = answer->direction[i];
    }
    for (std::size_t column = 0; column < n; ++column) {
      std::size_t pivot = column;
      while (pivot < n && system[pivot][column].is_zero()) ++pivot;
      if (pivot == n) return std::nullopt;
      std::swap(system[pivot], system[column]);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == column || system[i][column].is_zero()) continue;
        const Rational ratio = system[i][column] / system[column][column];
        for (std::size_t j = column; j <= n; ++j)
          system[i][j] = system[i][j] - ratio * system[column][j];
      }
    }
    std::vector<Rational> a;
    for (std::size_t i = 0; i < n; ++i) a.push_back(system[i][n] / system[i][i]);
    for (const std::int64_t unit : {1, 2, 3, 4, 5, 6, 8, 10, 20, 100, 1000})
      if (auto w = search.accept({chosen, rounded(a, unit)})) {
        auto shorter = search.on(chosen);
        return shorter && cost_of(*shorter) < cost_of(*w) ? shorter : w;
      }
    auto w = search.accept({chosen, a});
    if (!w) return std::nullopt;
    auto shorter = search.on(chosen);
    return shorter ? shorter : w;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace mercer::proof
