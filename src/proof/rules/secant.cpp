// 1/cosh(u)^r
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found secant(Prover& prover, const Expr& e, Claim claim) {
  if (e->op != Op::power || !algebra::is_number(e->args[1]) || e->args[1]->number.sign() >= 0 ||
      !algebra::is_function(e->args[0], Function::cosh))
    return std::nullopt;
  const Expr& u = e->args[0]->args[0];
  auto premise =
      prover.prove(algebra::scale(-1, algebra::power(u, Rational(2))), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("hyperbolic secant", e, claim,
                  {.with = {given("u", u), given("r", -e->args[1]->number)}},
                  {std::move(*premise)});
}

Found kernel(Prover& prover, const Expr& e) { return secant(prover, e, Claim::kernel); }
Found divisible(Prover& prover, const Expr& e) { return secant(prover, e, Claim::divisible); }

}  // namespace

Rules rule_secant() {
  const Rule rule{"hyperbolic secant",
                  "cosh(u)^(-r), r > 0, is an infinitely divisible kernel if -u² is conditionally "
                  "positive definite.",
                  "cosh u = Π (1 + 4u²/((2k-1)²π²)), and each factor^(-r) is an inverse power of "
                  "negative type"};
  return {{328, Claim::kernel, kernel, {rule}}, {328, Claim::divisible, divisible, {rule}}};
}

}  // namespace mercer::proof
