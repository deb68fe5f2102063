// The even and the odd part of a kernel.
#include <algorithm>
#include "kernel/domain_body.hpp"

#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::scale;
using algebra::Side;

Expr reflected(const Expr& e, bool x_too) {
  return algebra::rewrite(e, {.leaf =
                                  [&](const Expr& leaf, std::uint32_t) {
                                    return leaf->op == Op::coordinate &&
                                                   (x_too || leaf->side == Side::z)
                                               ? scale(-1, leaf)
                                               : leaf;
                                  },
                              .columns = {}});
}

// The smallest domain with -x for every x.
std::optional<Domain> symmetric_hull(const Domain& domain) {
  const auto& body = domain.body();
  switch (body.kind) {
    case Domain::Kind::reals:
    case Domain::Kind::integers:
    case Domain::Kind::ball:
    case Domain::Kind::sphere:
      return domain;
    case Domain::Kind::naturals:
      return Domain::parse("Z");
    case Domain::Kind::interval: {
      if (!body.low || !body.high) return Domain::reals();
      const Rational reach = std::max(abs(*body.low), abs(*body.high));
      return Domain::parse("[" + (-reach).text() + "," + reach.text() + "]");
    }
    case Domain::Kind::finite:
      break;
  }
  return std::nullopt;
}

// p with e = p(x,z) ± p(x,-z): of each pair of terms the first or the second.
std::optional<Expr> half(const Expr& e, const Rational& sign, bool first) {
  std::vector<algebra::Term> terms;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr other = reflected(e->args[i], false);
    if (equal(other, scale(sign, e->args[i]))) {
      terms.push_back({e->coefficients[i] * Rational(1, 2), e->args[i]});
      continue;
    }
    const auto at = std::ranges::find_if(e->args, [&](const Expr& t) { return equal(t, other); });
    const auto j = static_cast<std::size_t>(at - e->args.begin());
    if ((i < j) == first) terms.push_back({e->coefficients[i], e->args[i]});
  }
  const Expr p = algebra::sum(terms, sign.sign() > 0 ? e->number * Rational(1, 2) : Rational());
  const Expr whole = algebra::sum({{1, p}, {sign, reflected(p, false)}});
  return equal(whole, e) ? std::optional(p) : std::nullopt;
}

Found parity(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->args.size() < 2 || contains_normalize(e)) return std::nullopt;
  const Expr turned = reflected(e, false);
  for (const Rational& sign : {Rational(-1), Rational(1)}) {
    if (!equal(scale(sign, turned), e)) continue;
    const auto domain = symmetric_hull(prover.domain());
    if (!domain) return std::nullopt;
    for (const bool first : {true, false}) {
      const auto p = half(e, sign, first);
      if (!p || equal(*p, e) || equal(scale(2, *p), e) || !equal(reflected(*p, true), *p)) continue;
      // Of the odd part only coefficients with sum 0 are asked: a, -a at x, -x.
      const Claim needed = sign.sign() < 0 ? Claim::conditional : Claim::kernel;
      auto premise = prover.prove_on(*domain, prover.dimension(), *p, needed);
      if (!premise) continue;
      return conclude(sign.sign() < 0 ? "odd part" : "even part", e, Claim::kernel, {},
                      {std::move(*premise)});
    }
  }
  return std::nullopt;
}

}  // namespace

Rules rule_parity() {
  return {{350,
           Claim::kernel,
           parity,
           {{"odd part",
             "k(x,z) - k(x,-z) is a kernel if k is conditionally positive definite on points and "
             "their opposites, and k(-x,-z) = k(x,z).",
             "half the sum of k over the points x_i, -x_i with coefficients a_i, -a_i"},
            {"even part",
             "k(x,z) + k(x,-z) is a kernel if k is one on points and their opposites, and k(-x,-z) "
             "= k(x,z).",
             "half the sum of k over the points x_i, -x_i with coefficients a_i, a_i"}}}};
}

}  // namespace mercer::proof
