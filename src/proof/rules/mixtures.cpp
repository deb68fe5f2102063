// Mixtures of exp(-t u) for u of negative type.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::scale;

// u^(-r) = ∫ exp(-t u) t^(r-1) dt / Γ(r)
Found inverse_power(Prover& prover, const Expr& e, Claim claim) {
  for (const auto& [c, u, r] : inverse_forms(e)) {
    auto premise = prover.prove(scale(-1, u), Claim::conditional);
    if (!premise || !prover.positive_by_diagonal(u)) continue;
    return conclude("inverse power of negative type", e, claim,
                    {.with = {given("c", c), given("r", r), given("u", u)}}, {std::move(*premise)});
  }
  return std::nullopt;
}

Found inverse_power_kernel(Prover& prover, const Expr& e) {
  return inverse_power(prover, e, Claim::kernel);
}

Found inverse_power_divisible(Prover& prover, const Expr& e) {
  return inverse_power(prover, e, Claim::divisible);
}

Found matern(Prover& prover, const Expr& e) {
  if (e->op != Op::matern) return std::nullopt;
  auto premise = prover.prove(scale(-1, e->args[0]), Claim::conditional);
  if (!premise || !prover.nonnegative_by_diagonal(e->args[0])) return std::nullopt;
  return conclude("Matérn of negative type", e, Claim::kernel,
                  {.with = {given("nu", e->number), given("u", e->args[0])}},
                  {std::move(*premise)});
}

// (1 + t) exp(-t) and (1 + t + t²/3) exp(-t), the Matérn functions of smoothness 3/2 and 5/2, among
// the factors of a product.
Found closed_matern(Prover& prover, const Expr& e) {
  if (e->op != Op::product) return std::nullopt;
  for (const auto& exponential : e->args) {
    if (!is_function(exponential, Function::exp)) continue;
    const Expr t = scale(-1, exponential->args[0]);
    if (!prover.nonnegative(t)) continue;
    const Expr square = algebra::power(t, Rational(2));
    const Expr smooth = algebra::sum({{1, t}}, 1);
    const Expr smoother = algebra::sum({{1, t}, {Rational(1, 3), square}}, 1);
    for (const auto& factor : e->args) {
      if (factor->op != Op::sum) continue;
      // Sums in products have whole coefficients; the number is outside.
      const Rational constant = factor->number.is_zero() ? Rational(1) : factor->number;
      const Expr scaled = scale(Rational(1) / constant, factor);
      const bool first = algebra::equal(scaled, smooth);
      if (constant.sign() < 0 || (!first && !algebra::equal(scaled, smoother))) continue;
      auto premise = prover.prove(scale(-1, square), Claim::conditional);
      if (!premise) continue;
      std::vector<Derivation> premises{std::move(*premise)};
      std::vector<Expr> others;
      for (const auto& f : e->args)
        if (f != exponential && f != factor) others.push_back(f);
      if (!others.empty()) {
        auto rest = prover.prove(algebra::multiply(others), Claim::kernel);
        if (!rest) return std::nullopt;
        premises.push_back(std::move(*rest));
      }
      return conclude("Matérn of negative type", e, Claim::kernel,
                      {.with = {given("nu", first ? Rational(3, 2) : Rational(5, 2)),
                                given("u", square), given("factor", constant)}},
                      std::move(premises));
    }
  }
  return std::nullopt;
}

}  // namespace

Rules rule_mixtures() {
  const Rule inverse{"inverse power of negative type",
                     "u^(-r) is an infinitely divisible kernel for r > 0 if -u is conditionally "
                     "positive definite and u > 0.",
                     "Schoenberg 1938; a mixture of exp(-t u) over t > 0"};
  const Rule matern_rule{
      "Matérn of negative type",
      "The Matérn function of √u is a kernel if -u is conditionally positive definite and u >= 0.",
      "a mixture of exp(-s u) over s > 0; DLMF 10.32.10"};
  return {
      {320, Claim::kernel, inverse_power_kernel, {inverse}},
      {320, Claim::divisible, inverse_power_divisible, {inverse}},
      {321, Claim::kernel, matern, {matern_rule}},
      {322, Claim::kernel, closed_matern, {matern_rule}},
  };
}

}  // namespace mercer::proof
