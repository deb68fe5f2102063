#include "proof/polynomial_gram.hpp"

#include <algorithm>
#include <set>

#include "kernel/domain_body.hpp"
#include "kernel/form.hpp"

namespace mercer::proof {

namespace {

using algebra::Monomial;
using Combination = std::map<Monomial, Rational>;

std::uint32_t exponent(const Monomial& m, std::uint32_t coordinate) {
  for (const auto& [index, power] : m)
    if (index == coordinate) return power;
  return 0;
}

Monomial with_exponent(const Monomial& m, std::uint32_t coordinate, std::uint32_t power) {
  Monomial result;
  for (const auto& factor : m)
    if (factor.first != coordinate) result.push_back(factor);
  if (power > 0) result.emplace_back(coordinate, power);
  std::ranges::sort(result);
  return result;
}

// Monomials in terms of those that are independent on the domain.
class NormalForm {
 public:
  NormalForm(const Domain& domain, std::uint32_t d) : kind_(domain.kind()), d_(d) {
    if (kind_ != Domain::Kind::finite) return;
    // Π (t - v) = t^m + Σ c_k t^k
    vanishing_ = {Rational(1)};
    for (const auto& v : domain.body().values) {
      vanishing_.insert(vanishing_.begin(), Rational());
      for (std::size_t k = 0; k + 1 < vanishing_.size(); ++k)
        vanishing_[k] = vanishing_[k] - v * vanishing_[k + 1];
    }
  }

  const Combination& of(const Monomial& m) {
    if (const auto found = known_.find(m); found != known_.end()) return found->second;
    return known_[m] = reduced(m);
  }

 private:
  Combination reduced(const Monomial& m) {
    Combination total;
    const auto add = [&](const Rational& c, const Monomial& part) {
      for (const auto& [n, a] : Combination(of(part))) total[n] += c * a;
    };
    if (kind_ == Domain::Kind::sphere) {
      const std::uint32_t power = exponent(m, d_);
      if (power < 2) return {{m, Rational(1)}};
      const Monomial rest = with_exponent(m, d_, power - 2);
      add(1, rest);
      for (std::uint32_t i = 1; i < d_; ++i) add(-1, with_exponent(rest, i, exponent(rest, i) + 2));
      return total;
    }
    if (kind_ == Domain::Kind::finite) {
      const auto degree = static_cast<std::uint32_t>(vanishing_.size() - 1);
      for (const auto& [index, power] : m) {
        if (power < degree) continue;
        for (std::uint32_t k = 0; k < degree; ++k)
          if (!vanishing_[k].is_zero())
            add(-vanishing_[k], with_exponent(m, index, power - degree + k));
        return total;
      }
    }
    return {{m, Rational(1)}};
  }

  Domain::Kind kind_;
  std::uint32_t d_;
  std::vector<Rational> vanishing_;
  std::map<Monomial, Combination> known_;
};

}  // namespace

std::optional<PolynomialGram> polynomial_gram(const Expr& e, std::optional<std::uint32_t> dimension,
                                              const Domain& domain) {
  const bool on_sphere = domain.kind() == Domain::Kind::sphere;
  if (!dimension && (on_sphere || algebra::depends_on_dimension(e))) return std::nullopt;
  const std::uint32_t d = e->as_number ? 1 : dimension.value_or(e->least_dimension);
  constexpr std::size_t terms = 6000;
  constexpr std::uint32_t widest = 64;  // x_d² has as many terms as there are coordinates
  if (on_sphere && d > widest) return std::nullopt;
  const auto expanded = algebra::expand_polynomial(e, d, terms);
  if (!expanded) return std::nullopt;
  NormalForm normal(domain, d);
  algebra::Polynomial p;
  for (const auto& [key, c] : *expanded) {
    const Combination of_x = normal.of(key.first);
    const Combination of_z = normal.of(key.second);
    for (const auto& [m, a] : of_x)
      for (const auto& [n, b] : of_z) p[{m, n}] += a * b * c;
    if (p.size() > 4 * terms) return std::nullopt;
  }
  std::erase_if(p, [](const auto& entry) { return entry.second.is_zero(); });
  std::set<Monomial> all;
  for (const auto& [key, c] : p) {
    all.insert(key.first);
    all.insert(key.second);
  }
  constexpr std::size_t largest = 150;
  if (all.size() > largest) return std::nullopt;
  PolynomialGram gram;
  gram.monomials.assign(all.begin(), all.end());
  const auto index = [&](const Monomial& m) {
    return static_cast<std::size_t>(
        std::lower_bound(gram.monomials.begin(), gram.monomials.end(), m) - gram.monomials.begin());
  };
  gram.G.assign(all.size(), std::vector<Rational>(all.size()));
  for (const auto& [key, c] : p) gram.G[index(key.first)][index(key.second)] = c;
  for (std::size_t i = 0; i < gram.G.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (gram.G[i][j] != gram.G[j][i]) return std::nullopt;
  return gram;
}

}  // namespace mercer::proof
