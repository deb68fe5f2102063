// exp, which turns conditionally positive definite into positive definite.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;

const Rule rule{"exp",
                "exp(c) is an infinitely divisible kernel if c is conditionally positive definite, "
                "in particular if c is a kernel.",
                "Schoenberg 1938; Berg, Christensen and Ressel 1984, theorem 3.2.2"};

Found exponential(Prover& prover, const Expr& e, Claim claim) {
  if (is_function(e, Function::exp)) {
    // Of a kernel: the series of the notes.
    if (claim == Claim::kernel)
      if (auto kernel = prover.prove(e->args[0], Claim::kernel))
        return conclude("power series", e, claim, {.with = {given("t", e->args[0])}},
                        {std::move(*kernel)});
    auto premise = prover.prove(e->args[0], Claim::conditional);
    if (!premise) return std::nullopt;
    return conclude("exp", e, claim, {}, {std::move(*premise)});
  }
  // b^k = exp(k log b)
  if (e->op != Op::power || !is_number(e->args[0]) || is_number(e->args[1])) return std::nullopt;
  const Rational& b = e->args[0]->number;
  if (b.sign() <= 0) return std::nullopt;
  auto premise =
      prover.prove(algebra::scale(b < Rational(1) ? -1 : 1, e->args[1]), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("exp", e, claim, {.note = "b^k = exp(k log b)", .with = {given("b", b)}},
                  {std::move(*premise)});
}

Found of_kernel(Prover& prover, const Expr& e) { return exponential(prover, e, Claim::kernel); }
Found divisible(Prover& prover, const Expr& e) { return exponential(prover, e, Claim::divisible); }

}  // namespace

Rules rule_exponential() {
  return {{100, Claim::kernel, of_kernel, {rule}}, {100, Claim::divisible, divisible, {rule}}};
}

}  // namespace mercer::proof
