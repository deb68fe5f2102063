// Maps read off a matrix of coefficients: k(x,z) = Σ G_ij m_i(x) m_j(z).
#include <algorithm>
#include <numeric>
#include <set>

#include "feature/finder.hpp"
#include "feature/ldl.hpp"
#include "feature/separate.hpp"
#include "kernel/form.hpp"
#include "kernel/polynomial.hpp"
#include "kernel/print.hpp"
#include "kernel/recognise.hpp"
#include "kernel/transform.hpp"

namespace mercer::feature {

namespace {

using algebra::is_number;
using algebra::Monomial;
using algebra::number;
using algebra::Polynomial;
using algebra::Side;

constexpr std::size_t most_terms = 6000;
constexpr std::size_t largest_matrix = 400;

Expr coordinate(std::uint32_t d, Side side, std::uint32_t i) {
  return d == 1 ? algebra::only_coordinate(side, {}) : algebra::coordinate(side, {}, i);
}

Expr as_expr(const Monomial& m, std::uint32_t d) {
  std::vector<Expr> factors;
  for (const auto& [i, power] : m)
    factors.push_back(
        algebra::power(coordinate(d, Side::x, i), Rational(static_cast<std::int64_t>(power))));
  return algebra::multiply(factors);
}

std::uint64_t degree(const Monomial& m) {
  std::uint64_t total = 0;
  for (const auto& [i, power] : m) total += power;
  return total;
}

// 1, x1, x2, x1², x1 x2, x2², …
bool before(const Monomial& a, const Monomial& b) {
  if (degree(a) != degree(b)) return degree(a) < degree(b);
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].first != b[i].first) return a[i].first < b[i].first;
    if (a[i].second != b[i].second) return a[i].second > b[i].second;
  }
  return a.size() > b.size();
}

Expr root_times(const Rational& c, const Expr& f) {
  return algebra::multiply(algebra::sqrt(number(c)), f);
}

// √d_j Σ_i L_ij m_i
std::vector<Expr> functions_of(const Factorization& factorization, const std::vector<Expr>& m) {
  std::vector<Expr> functions;
  for (const auto& factor : factorization.factors) {
    std::vector<algebra::Term> terms;
    for (std::size_t i = 0; i < m.size(); ++i)
      if (!factor.column[i].is_zero()) terms.push_back({factor.column[i], m[i]});
    functions.push_back(root_times(factor.d, algebra::sum(terms)));
  }
  return functions;
}

struct Gram {
  std::vector<Monomial> monomials;
  Matrix G;  // empty where it is diagonal
  std::vector<Rational> diagonal;
};

Gram gram_of(const Polynomial& p) {
  std::set<Monomial> all;
  bool is_diagonal = true;
  for (const auto& [key, c] : p) {
    all.insert(key.first);
    all.insert(key.second);
    is_diagonal = is_diagonal && key.first == key.second;
  }
  Gram gram;
  gram.monomials.assign(all.begin(), all.end());
  std::ranges::sort(gram.monomials, before);
  std::map<Monomial, std::size_t> index;
  for (const auto& m : gram.monomials) index.try_emplace(m, index.size());
  const std::size_t n = all.size();
  gram.diagonal.resize(n);
  if (!is_diagonal && n <= largest_matrix) gram.G.assign(n, std::vector<Rational>(n));
  for (const auto& [key, c] : p) {
    if (key.first == key.second) gram.diagonal[index[key.first]] = c;
    if (!gram.G.empty()) gram.G[index[key.first]][index[key.second]] = c;
  }
  return gram;
}

bool is_symmetric(const Polynomial& p) {
  return std::ranges::all_of(p, [&](const auto& term) {
    const auto other = p.find({term.first.second, term.first.first});
    return other != p.end() && other->second == term.second;
  });
}

std::string pair_text(const Expr& m) {
  return is_number(m) ? "1" : print(algebra::multiply(m, algebra::swap_sides(m)));
}

}  // namespace

// Σ a_k (x·z)^k: the monomials of degree k, times √a_k and the root of a multinomial coefficient.
std::optional<Found> Finder::dot_polynomial(const Expr& e) {
  const auto part = algebra::restriction_of(e);
  const auto coefficients = algebra::dot_polynomial(part ? part->whole : e);
  if (!coefficients || (part && part->columns.has_names())) return std::nullopt;
  const Columns columns = part ? part->columns : Columns();
  const FamilyPtr coordinates = side_by_side_over(columns.ranges(d_), [d = d_](std::uint32_t i) {
    return listed({coordinate(d, Side::x, i)});
  });
  std::vector<FamilyPtr> parts;
  for (const auto& [k, a] : *coefficients) {
    if (a.sign() < 0) {
      if (depth_ == 1)
        refusal_ = "its coefficient of " + (k == 0 ? "1" : "(x.z)^" + std::to_string(k)) + " is " +
                   a.text();
      return std::nullopt;
    }
    const FamilyPtr one = k == 0 ? listed({number(1)}) : symmetric_power(coordinates, k);
    parts.push_back(times(algebra::sqrt(number(a)), one));
  }
  return Found(side_by_side(std::move(parts)));
}

// A polynomial is a kernel exactly where the matrix G of its coefficients is positive semidefinite.
std::optional<Found> Finder::polynomial(const Expr& e) {
  if (auto found = dot_polynomial(e); found || refusal_) return found;
  const auto p = algebra::expand_polynomial(e, d_, most_terms);
  if (!p) return std::nullopt;
  const bool decides = depth_ == 1;
  if (!is_symmetric(*p)) {
    if (decides) refusal_ = "k(x,z) is not k(z,x)";
    return std::nullopt;
  }
  const Gram gram = gram_of(*p);
  std::vector<Expr> m;
  for (const auto& monomial : gram.monomials) m.push_back(as_expr(monomial, d_));
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (gram.diagonal[i].sign() >= 0) continue;
    if (decides)
      refusal_ = "its coefficient of " + pair_text(m[i]) + " is " + gram.diagonal[i].text();
    return std::nullopt;
  }
  const bool is_diagonal = std::ranges::all_of(
      *p, [](const auto& term) { return term.first.first == term.first.second; });
  if (is_diagonal) {
    std::vector<Expr> functions;
    for (std::size_t i = 0; i < m.size(); ++i)
      functions.push_back(root_times(gram.diagonal[i], m[i]));
    return Found(listed(std::move(functions)));
  }
  if (gram.G.empty()) return std::nullopt;
  const auto factorization = factorized(gram.G);
  if (!factorization) return std::nullopt;
  if (!factorization->semidefinite) {
    if (decides) refusal_ = "the matrix of its coefficients has a negative direction";
    return std::nullopt;
  }
  // As it was written, where that is no longer: (x1 + x2)*(z1 + z2) is the square of x1 + x2.
  if (auto written = by_form(e)) {
    const Count count = written->family->count();
    if (!written->infinite && count.number && *count.number == factorization->factors.size())
      return written;
  }
  return Found(listed(functions_of(*factorization, m)));
}

// Σ c f(x) g(z) with any functions f and g.
std::optional<Found> Finder::finite(const Expr& e) {
  const auto parts = separated(e, d_, most_terms);
  if (!parts || parts->empty()) return std::nullopt;
  std::set<Expr, ExprLess> all;
  bool rational = true;
  bool is_diagonal = true;
  for (const auto& [key, c] : *parts) {
    all.insert(key.first);
    all.insert(key.second);
    rational = rational && is_number(c);
    is_diagonal = is_diagonal && equal(key.first, key.second);
  }
  const std::vector<Expr> m(all.begin(), all.end());
  if (is_diagonal) {
    std::vector<Expr> functions;
    for (const auto& [key, c] : *parts) {
      const auto weight = constant(c);
      if (!weight) return std::nullopt;
      functions.push_back(algebra::multiply(weight->family->first(1).at(0), key.first));
    }
    return Found(listed(std::move(functions)));
  }
  if (!rational || m.size() > largest_matrix) return std::nullopt;
  std::map<Expr, std::size_t, ExprLess> index;
  for (const auto& f : m) index.try_emplace(f, index.size());
  Matrix G(m.size(), std::vector<Rational>(m.size()));
  for (const auto& [key, c] : *parts) G[index[key.first]][index[key.second]] = c->number;
  for (std::size_t i = 0; i < m.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (G[i][j] != G[j][i]) return std::nullopt;
  const auto factorization = factorized(std::move(G));
  if (!factorization || !factorization->semidefinite) return std::nullopt;
  return Found(listed(functions_of(*factorization, m)));
}

}  // namespace mercer::feature
