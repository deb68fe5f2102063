// Integrals of exp(-u ψ) with a density >= 0, for ψ of negative type.
#include <algorithm>
#include <array>
#include <map>

#include "kernel/transform.hpp"
#include "proof/constant_sign.hpp"
#include "proof/distributed.hpp"
#include "proof/exponential_sum.hpp"
#include "proof/prover.hpp"
#include "proof/taylor.hpp"
#include "proof/univariate.hpp"

namespace mercer::proof {

namespace {

using algebra::is_constant;
using algebra::is_function;
using algebra::is_number;

// (a + b ψ): none where it is not of that form with rational a >= 0, b > 0.
std::optional<std::pair<Rational, Rational>> affine_in(const Expr& e, const Expr& psi) {
  if (e->op != Op::sum)
    return algebra::equal(e, psi) ? std::optional(std::pair{Rational(0), Rational(1)})
                                  : std::nullopt;
  const Expr varying = algebra::subtract(e, algebra::number(e->number));
  const auto [b, rest] = algebra::split_coefficient(varying);
  const auto [p, core] = algebra::split_coefficient(psi);
  const bool one = varying->op != Op::sum || varying->args.size() == 1;
  Rational ratio = one ? b / p : Rational(0);
  if (one && !algebra::equal(rest, core)) return std::nullopt;
  if (!one) {  // x + z, 2x + 2z
    if (psi->op != Op::sum || psi->coefficients.size() != varying->coefficients.size())
      return std::nullopt;
    ratio = varying->coefficients[0] / psi->coefficients[0];
    if (!algebra::equal(algebra::scale(ratio, psi), varying)) return std::nullopt;
  }
  if (e->number.sign() < 0 || ratio.sign() <= 0) return std::nullopt;
  return std::pair{e->number, ratio};
}

// What may stand for u: the arguments without their constants.
std::vector<Expr> candidates(const Expr& e) {
  std::vector<Expr> found;
  const auto add = [&](const Expr& base) {
    const Expr core =
        base->op == Op::sum ? algebra::subtract(base, algebra::number(base->number)) : base;
    for (const Expr& c : {core, algebra::scale(-1, core)})
      if (std::ranges::none_of(found, [&](const Expr& f) { return algebra::equal(f, c); }))
        found.push_back(c);
  };
  for (const auto& term : e->op == Op::sum ? e->args : std::vector<Expr>{e}) {
    if (term->op == Op::power && is_number(term->args[1]) && term->args[1]->number.sign() < 0)
      add(term->args[0]);
    if (is_function(term, Function::log)) add(term->args[0]);
  }
  return found;
}

// Σ c (a + b ψ)^(-r) + Σ c log(a + b ψ), by the exponents r (0 for the logarithm): in the density
// u^(r-1) Σ c exp(-a/b u).
struct Densities {
  std::map<Rational, std::vector<Decay>> by_exponent;
  Expr logarithms = algebra::number(0);  // the sum of their factors
  Expr constant = algebra::number(0);
};

bool add_term(Densities& d, const Rational& c, const Expr& term, const Expr& psi) {
  if (is_constant(term)) {
    d.constant = algebra::sum({{1, d.constant}, {c, term}});
    return true;
  }
  for (const auto& [weight, u, r] : inverse_forms(algebra::scale(c, term))) {
    const auto base = affine_in(u, psi);
    if (!base) continue;
    d.by_exponent[r].push_back(
        {algebra::scale(weight, algebra::power(algebra::number(base->second), -r)),
         base->first / base->second});
    return true;
  }
  for (const auto& [weight, u, r] : inverse_forms(algebra::scale(-c, term))) {
    const auto base = affine_in(u, psi);
    if (!base) continue;
    d.by_exponent[r].push_back(
        {algebra::scale(-weight, algebra::power(algebra::number(base->second), -r)),
         base->first / base->second});
    return true;
  }
  if (is_function(term, Function::log)) {
    const auto base = affine_in(term->args[0], psi);
    if (!base) return false;
    const auto& [a, b] = *base;
    d.by_exponent[0].push_back({algebra::number(-c), a / b});
    d.logarithms = algebra::sum({{1, d.logarithms}}, c);
    d.constant = algebra::sum(
        {{1, d.constant}, {c, algebra::apply_function(Function::log, algebra::number(b))}});
    return true;
  }
  return false;
}

Found laplace(Prover& prover, const Expr& e, Claim claim) {
  if (e->op != Op::sum || e->args.size() < 2) return std::nullopt;
  for (const auto& psi : candidates(e)) {
    Densities d;
    d.constant = algebra::number(e->number);
    bool all = true;
    for (std::size_t i = 0; all && i < e->args.size(); ++i)
      all = add_term(d, e->coefficients[i], e->args[i], psi);
    if (!all) continue;
    if (claim == Claim::kernel &&
        (!is_number(d.logarithms, 0) || constant_is_nonnegative(d.constant) != true))
      continue;
    const bool positive = std::ranges::all_of(
        d.by_exponent, [](const auto& group) { return exponential_sum_nonnegative(group.second); });
    if (!positive) continue;
    auto premise = prover.prove(algebra::scale(-1, psi), Claim::conditional);
    if (!premise || !prover.nonnegative_by_diagonal(psi)) continue;
    return conclude("Laplace transform", e, claim, {.with = {given("u", psi)}},
                    {std::move(*premise)});
  }
  return std::nullopt;
}

Found kernel(Prover& prover, const Expr& e) { return laplace(prover, e, Claim::kernel); }
Found conditional(Prover& prover, const Expr& e) { return laplace(prover, e, Claim::conditional); }

// ---- ψ^m exp(-a ψ) for ψ = √s: the density of exp(-a √s) is a exp(-a² v) up to positive factors
// in v = 1/(4u), those of ψ exp(-a ψ), ψ² exp(-a ψ) are the derivatives by -a of it.

struct RootTerm {
  Rational c;
  std::int64_t m = 0;
  Rational a;
};

std::optional<RootTerm> root_term(const ProductTerm& term, const Expr& psi) {
  RootTerm result{term.c, 0, 0};
  const Expr square = algebra::power(psi, Rational(2));
  bool taken = false;
  for (const auto& f : term.factors) {
    if (is_function(f, Function::exp)) {
      const auto [a, rest] = algebra::split_coefficient(f->args[0]);
      if (!algebra::equal(rest, psi) || a.sign() >= 0) return std::nullopt;
      result.a += -a;
      taken = true;
    } else if (const auto n = exponent_of(f, psi)) {
      result.m += static_cast<std::int64_t>(*n);
    } else if (const auto twice = exponent_of(f, square)) {
      result.m += 2 * static_cast<std::int64_t>(*twice);
    } else {
      return std::nullopt;
    }
  }
  return taken && result.m <= 2 ? std::optional(result) : std::nullopt;
}

bool root_density_nonnegative(const std::vector<RootTerm>& terms) {
  if (std::ranges::all_of(terms, [](const RootTerm& t) { return t.m == 0; })) {
    std::vector<Decay> decays;
    decays.reserve(terms.size());
    for (const auto& t : terms) decays.push_back({algebra::number(t.c * t.a), t.a * t.a});
    return exponential_sum_nonnegative(std::move(decays));
  }
  // For each a: c0 a + c1 (2a²v - 1) + c2 (4a³v² - 6av) >= 0 for v >= 0.
  std::map<Rational, std::array<Rational, 3>> by_a;
  for (const auto& t : terms) by_a[t.a][static_cast<std::size_t>(t.m)] += t.c;
  return std::ranges::all_of(by_a, [](const auto& group) {
    const auto& [a, c] = group;
    const Univariate p{c[0] * a - c[1], Rational(2) * a * a * c[1] - Rational(6) * a * c[2],
                       Rational(4) * a * a * a * c[2]};
    return nonnegative_between(p, Rational(0), std::nullopt);
  });
}

// What may stand for ψ: what exponentials are taken of.
void find_roots(const Expr& e, std::vector<Expr>& found) {
  if (is_function(e, Function::exp)) {
    const Expr psi = algebra::split_coefficient(e->args[0]).rest;
    if (psi->uses_x && psi->uses_z &&
        std::ranges::none_of(found, [&](const Expr& f) { return algebra::equal(f, psi); }))
      found.push_back(psi);
  }
  for (const auto& arg : e->args) find_roots(arg, found);
}

std::vector<Expr> roots_in(const Expr& e) {
  std::vector<Expr> found;
  find_roots(e, found);
  return found;
}

Found of_root(Prover& prover, const Expr& e) {
  if (e->op != Op::sum && e->op != Op::product) return std::nullopt;
  const auto parts = distributed(e);
  if (!parts) return std::nullopt;
  for (const auto& psi : roots_in(e)) {
    std::vector<RootTerm> terms;
    bool all = true;
    Rational constant;
    for (const auto& part : *parts) {
      if (part.factors.empty()) {
        constant += part.c;
        continue;
      }
      const auto term = root_term(part, psi);
      all = all && term;
      if (!all) break;
      terms.push_back(*term);
    }
    if (!all || terms.empty() || constant.sign() < 0 || !root_density_nonnegative(terms)) continue;
    auto premise =
        prover.prove(algebra::scale(-1, algebra::power(psi, Rational(2))), Claim::conditional);
    if (!premise || !prover.nonnegative(psi)) continue;
    return conclude("exponentials of a root", e, Claim::kernel, {.with = {given("u", psi)}},
                    {std::move(*premise)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_laplace() {
  const Rule laplace_rule{
      "Laplace transform",
      "∫ exp(-t u) g(t) dt over t > 0 with g >= 0 is a kernel if -u is conditionally positive "
      "definite and u >= 0: sums of c (a + u)^(-r), and of c log(a + u) with sum 0 of the c.",
      "Bernstein 1928, Schoenberg 1938; g = Σ c t^(r-1) exp(-a t)/Γ(r)"};
  return {
      {326, Claim::kernel, kernel, {laplace_rule}},
      {326, Claim::conditional, conditional, {laplace_rule}},
      {327,
       Claim::kernel,
       of_root,
       {{"exponentials of a root",
         "Σ c u^m exp(-a u), m <= 2, is a kernel if -u² is conditionally positive definite, u >= 0 "
         "and its density in s as a mixture of exp(-s u²) is >= 0.",
         "exp(-a√w) = ∫ exp(-s w) a exp(-a²/(4s)) / (2√π s^(3/2)) ds; Schoenberg 1938"}}},
  };
}

}  // namespace mercer::proof
