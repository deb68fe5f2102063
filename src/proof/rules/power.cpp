// Powers of kernels.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found whole_power(Prover& prover, const Expr& e) {
  if (e->op != Op::power || !algebra::is_number(e->args[1])) return std::nullopt;
  const Rational& n = e->args[1]->number;
  if (!n.is_integer() || n.sign() <= 0) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("power", e, Claim::kernel, {.with = {given("n", n)}}, {std::move(*premise)});
}

// Powers of products are products of powers: looked at as a whole.
Found real_power(Prover& prover, const Expr& e, Claim claim) {
  if (e->op != Op::power || !algebra::is_number(e->args[1])) return std::nullopt;
  const Rational& r = e->args[1]->number;
  if (r.sign() <= 0) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::divisible);
  if (!premise) return std::nullopt;
  return conclude("real power", e, claim, {.with = {given("r", r)}}, {std::move(*premise)});
}

Found kernel_power(Prover& prover, const Expr& e) { return real_power(prover, e, Claim::kernel); }

Found divisible_power(Prover& prover, const Expr& e) {
  return real_power(prover, e, Claim::divisible);
}

}  // namespace

Rules rule_power() {
  const Rule real{"real power",
                  "Positive real powers of an infinitely divisible kernel are infinitely "
                  "divisible kernels.",
                  "definition; Horn 1969"};
  return {
      {40,
       Claim::kernel,
       whole_power,
       {{"power", "Whole powers of kernels are kernels.", "notes, rule (3)"}}},
      {41, Claim::kernel, kernel_power, {real}},
      {41, Claim::divisible, divisible_power, {real}},
  };
}

}  // namespace mercer::proof
