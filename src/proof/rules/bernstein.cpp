// Bernstein functions of functions of negative type are of negative type.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;
using algebra::scale;

// -u^a for 0 < a <= 1 and u >= 0 of negative type.
Found root(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::power || !is_number((*u)->args[1])) return std::nullopt;
  const Rational& a = (*u)->args[1]->number;
  const Expr& base = (*u)->args[0];
  if (a.sign() <= 0 || a >= Rational(1)) return std::nullopt;
  auto premise = prover.prove(scale(-1, base), Claim::conditional);
  if (!premise || !prover.nonnegative_by_diagonal(base)) return std::nullopt;
  return conclude("power of negative type", e, Claim::conditional, {.with = {given("a", a)}},
                  {std::move(*premise)});
}

Found logarithm(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || !is_function(*u, Function::log)) return std::nullopt;
  auto premise = prover.prove(scale(-1, (*u)->args[0]), Claim::conditional);
  if (!premise || !prover.positive_by_diagonal((*u)->args[0])) return std::nullopt;
  return conclude("logarithm of negative type", e, Claim::conditional, {}, {std::move(*premise)});
}

// log k for an infinitely divisible k: its definition.
Found logarithm_of_divisible(Prover& prover, const Expr& e) {
  if (!is_function(e, Function::log)) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::divisible);
  if (!premise) return std::nullopt;
  return conclude("logarithm of divisible", e, Claim::conditional, {}, {std::move(*premise)});
}

}  // namespace

Rules rule_bernstein() {
  return {
      {310,
       Claim::conditional,
       root,
       {{"power of negative type",
         "-u^a is conditionally positive definite for 0 < a <= 1 if -u is and u >= 0.",
         "Schoenberg 1938; Berg, Christensen and Ressel 1984, corollary 3.2.10"}}},
      {311,
       Claim::conditional,
       logarithm,
       {{"logarithm of negative type",
         "-log(u) is conditionally positive definite if -u is and u > 0.",
         "log u = ∫ (exp(-t) - exp(-t u))/t dt over t > 0"}}},
      {312,
       Claim::conditional,
       logarithm_of_divisible,
       {{"logarithm of divisible",
         "log k is conditionally positive definite if k is infinitely divisible.",
         "Berg, Christensen and Ressel 1984, proposition 3.2.7"}}},
  };
}

}  // namespace mercer::proof
