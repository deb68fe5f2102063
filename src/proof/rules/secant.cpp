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

// (a cosh(u) + b)^(-r) with b/a = cos θ: its zeros are imaginary, too.
Found shifted(Prover& prover, const Expr& e, Claim claim) {
  if (e->op != Op::power || !algebra::is_number(e->args[1]) || e->args[1]->number.sign() >= 0)
    return std::nullopt;
  const Expr& base = e->args[0];
  if (base->op != Op::sum || base->args.size() != 1 ||
      !algebra::is_function(base->args[0], Function::cosh))
    return std::nullopt;
  const Rational& a = base->coefficients[0];
  const Rational& b = base->number;
  if (a.sign() <= 0 || b <= -a || b > a) return std::nullopt;
  const Expr& u = base->args[0]->args[0];
  auto premise =
      prover.prove(algebra::scale(-1, algebra::power(u, Rational(2))), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude(
      "shifted secant", e, claim,
      {.with = {given("u", u), given("a", a), given("b", b), given("r", -e->args[1]->number)}},
      {std::move(*premise)});
}

Found shifted_kernel(Prover& prover, const Expr& e) { return shifted(prover, e, Claim::kernel); }
Found shifted_divisible(Prover& prover, const Expr& e) {
  return shifted(prover, e, Claim::divisible);
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
  const Rule shifted_rule{
      "shifted secant",
      "(a cosh(u) + b)^(-r), r > 0 and -a < b <= a, is an infinitely divisible kernel if -u² is "
      "conditionally positive definite.",
      "with b = a cos θ it is (a + b) Π (1 + u²/((2k-1)π ± θ)²): all zeros are imaginary, and each "
      "factor^(-r) is an inverse power of negative type"};
  return {{328, Claim::kernel, kernel, {rule}},
          {328, Claim::divisible, divisible, {rule}},
          {329, Claim::kernel, shifted_kernel, {shifted_rule}},
          {329, Claim::divisible, shifted_divisible, {shifted_rule}}};
}

}  // namespace mercer::proof
