// Sums and multiples: the feature maps side by side.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::scale;

// Σ of non-negative multiples. A negative multiple of a part may still be a kernel: -log(1 - k).
Found sum(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->number.sign() < 0) return std::nullopt;
  const bool single = e->args.size() == 1 && e->number.is_zero();
  std::vector<Derivation> premises;
  std::vector<Given> weights;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Rational& c = e->coefficients[i];
    if (c.is_zero()) continue;
    if (c.sign() < 0 && single) return std::nullopt;
    auto premise = prover.prove(c.sign() > 0 ? e->args[i] : scale(c, e->args[i]), Claim::kernel);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
    weights.push_back(given("c" + std::to_string(premises.size()), c.sign() > 0 ? c : Rational(1)));
  }
  if (!e->number.is_zero()) weights.push_back(given("constant", e->number));
  return conclude(single ? "multiple" : "sum", e, Claim::kernel, {.with = std::move(weights)},
                  std::move(premises));
}

// A constant, f(x) + f(z), and parts: f(x) + f(z) adds nothing where Σ a_i = 0.
Found conditional_sum(Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  std::vector<algebra::Term> separate;
  std::vector<Derivation> premises;
  std::vector<Given> with;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr& part = e->args[i];
    const Rational& c = e->coefficients[i];
    if (!(part->uses_x && part->uses_z)) {
      separate.push_back({c, part});
      continue;
    }
    if (e->args.size() == 1 && e->number.is_zero() && c.sign() < 0)
      return std::nullopt;  // no smaller goal
    auto premise = prover.prove(c.sign() > 0 ? part : scale(-1, part), Claim::conditional);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
    with.push_back(given("c" + std::to_string(premises.size()), abs(c)));
  }
  const Expr f = algebra::sum(separate, e->number);
  if (!algebra::equal(algebra::swap_sides(f), f)) return std::nullopt;
  if (!algebra::is_number(f, 0)) with.push_back(given("f(x) + f(z)", f));
  return conclude("sum, conditionally", e, Claim::conditional, {.with = std::move(with)},
                  std::move(premises));
}

}  // namespace

Rules rule_sum() {
  return {
      {20,
       Claim::kernel,
       sum,
       {{"sum", "Sums of kernels and non-negative multiples of kernels are kernels.",
         "notes, rule (2): the feature maps side by side"},
        {"multiple", "A non-negative multiple of a kernel is a kernel.",
         "notes, rules (0) and (3)"}}},
      {20,
       Claim::conditional,
       conditional_sum,
       {{"sum, conditionally",
         "Sums of conditionally positive definite functions with non-negative weights, constants "
         "and f(x) + f(z) are conditionally positive definite.",
         "Berg, Christensen and Ressel 1984, chapter 3"}}},
  };
}

}  // namespace mercer::proof
