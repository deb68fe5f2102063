// f(x) k f(z) in a sum: a term f(x) f(z) taken out of all of them.
#include "kernel/multiply_out.hpp"
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::apply_function;
using algebra::is_function;

// u(x) where the term is exp(u(x)) exp(u(z)).
std::optional<Expr> exponent_of_feature(const Expr& term) {
  const Sides sides = split_sides(term);
  if (!sides.mixed.empty() || !algebra::equal(algebra::swap_sides(sides.of_x), sides.of_z))
    return std::nullopt;
  if (!is_function(sides.of_x, Function::exp)) return std::nullopt;
  return sides.of_x->args[0];
}

// The term over exp(both), with its exponentials joined.
Expr divided(const Expr& term, const Expr& both) {
  std::vector<algebra::Term> exponents{{-1, both}};
  std::vector<Expr> others;
  for (const auto& f : term->op == Op::product ? term->args : std::vector<Expr>{term}) {
    if (is_function(f, Function::exp)) {
      exponents.push_back({1, f->args[0]});
    } else {
      others.push_back(f);
    }
  }
  others.push_back(apply_function(Function::exp, algebra::multiplied_out(algebra::sum(exponents))));
  return algebra::multiply(others);
}

// exp has no zeros, so that nothing is lost.
Found common_factor(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->args.size() + (e->number.is_zero() ? 0 : 1) < 2) return std::nullopt;
  constexpr std::size_t most = 6;
  if (e->args.size() > most) return std::nullopt;
  for (const auto& feature : e->args) {
    const auto u = exponent_of_feature(feature);
    if (!u) continue;
    const Expr both = algebra::add(*u, algebra::swap_sides(*u));
    std::vector<algebra::Term> terms;
    for (std::size_t i = 0; i < e->args.size(); ++i)
      terms.push_back({e->coefficients[i], divided(e->args[i], both)});
    if (!e->number.is_zero()) terms.push_back({e->number, divided(algebra::number(1), both)});
    auto premise = prover.prove(algebra::sum(terms), Claim::kernel);
    if (!premise) continue;
    return conclude("f(x) k f(z)", e, Claim::kernel,
                    {.with = {given("f(x)", apply_function(Function::exp, *u))}},
                    {std::move(*premise)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_common_factor() { return {{480, Claim::kernel, common_factor, {}}}; }

}  // namespace mercer::proof
