#include "proof/polynomial_gram.hpp"

#include <algorithm>
#include <set>

#include "kernel/form.hpp"
#include "kernel/transform.hpp"

namespace mercer::proof {

using algebra::Op;

std::optional<PolynomialGram> polynomial_gram(const Expr& e,
                                              std::optional<std::uint32_t> dimension) {
  if (!dimension && algebra::depends_on_dimension(e)) return std::nullopt;
  const std::uint32_t d = e->as_number ? 1 : dimension.value_or(e->least_dimension);
  constexpr std::size_t terms = 6000;
  const auto p = algebra::expand_polynomial(e, d, terms);
  if (!p) return std::nullopt;
  std::set<algebra::Monomial> all;
  for (const auto& [key, c] : *p) {
    all.insert(key.first);
    all.insert(key.second);
  }
  constexpr std::size_t largest = 150;
  if (all.size() > largest) return std::nullopt;
  PolynomialGram gram;
  gram.monomials.assign(all.begin(), all.end());
  const auto index = [&](const algebra::Monomial& m) {
    return static_cast<std::size_t>(
        std::lower_bound(gram.monomials.begin(), gram.monomials.end(), m) - gram.monomials.begin());
  };
  gram.G.assign(all.size(), std::vector<Rational>(all.size()));
  for (const auto& [key, c] : *p) gram.G[index(key.first)][index(key.second)] = c;
  for (std::size_t i = 0; i < gram.G.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (gram.G[i][j] != gram.G[j][i]) return std::nullopt;
  return gram;
}

std::optional<std::map<std::uint64_t, Rational>> dot_coefficients(const Expr& e) {
  return algebra::dot_polynomial(e);
}

namespace {

constexpr std::size_t most_terms = 400;

std::vector<algebra::Term> terms_of(const Expr& e) {
  if (e->op != Op::sum) return {{1, e}};
  std::vector<algebra::Term> terms;
  for (std::size_t i = 0; i < e->args.size(); ++i)
    terms.push_back({e->coefficients[i], e->args[i]});
  if (!e->number.is_zero()) terms.push_back({e->number, algebra::number(1)});
  return terms;
}

std::optional<Expr> times(const Expr& a, const Expr& b) {
  const auto left = terms_of(a);
  const auto right = terms_of(b);
  if (left.size() * right.size() > most_terms) return std::nullopt;
  std::vector<algebra::Term> terms;
  for (const auto& s : left)
    for (const auto& t : right)
      terms.push_back({s.coefficient * t.coefficient, algebra::multiply(s.expr, t.expr)});
  return algebra::sum(terms);
}

}  // namespace

Expr multiplied_out(const Expr& e) {
  switch (e->op) {
    case Op::sum: {
      std::vector<algebra::Term> terms;
      for (std::size_t i = 0; i < e->args.size(); ++i)
        terms.push_back({e->coefficients[i], multiplied_out(e->args[i])});
      return algebra::sum(terms, e->number);
    }
    case Op::product: {
      Expr total = algebra::number(1);
      for (const auto& arg : e->args) {
        const auto next = times(total, multiplied_out(arg));
        if (!next) return e;
        total = *next;
      }
      return total;
    }
    case Op::power: {
      const auto n = is_number(e->args[1]) ? e->args[1]->number.to_int() : std::nullopt;
      if (!n || *n < 2 || *n > 12 || e->args[0]->op != Op::sum) return e;
      Expr total = algebra::number(1);
      const Expr base = multiplied_out(e->args[0]);
      for (std::int64_t i = 0; i < *n; ++i) {
        const auto next = times(total, base);
        if (!next) return e;
        total = *next;
      }
      return total;
    }
    case Op::sum_over:
      return algebra::sum_over(e->columns, multiplied_out(e->args[0]));
    default:
      return e;
  }
}

}  // namespace mercer::proof
