// Several sums over the same coordinates as one.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found joined(Prover& prover, const Expr& e, Claim claim) {
  if (e->op != Op::sum) return std::nullopt;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (e->args[i]->op != Op::sum_over) continue;
    std::vector<algebra::Term> bodies;
    std::vector<algebra::Term> rest;
    for (std::size_t j = 0; j < e->args.size(); ++j) {
      const Expr& part = e->args[j];
      const bool same = part->op == Op::sum_over && part->columns == e->args[i]->columns;
      (same ? bodies : rest).push_back({e->coefficients[j], same ? part->args[0] : part});
    }
    if (bodies.size() < 2) continue;
    auto body = prover.prove_for_coordinate(algebra::sum(bodies), claim);
    if (!body) continue;
    std::vector<Derivation> premises{std::move(*body)};
    const Expr others = algebra::sum(rest, e->number);
    if (!algebra::is_number(others, 0)) {
      auto other = prover.prove(others, claim);
      if (!other) return std::nullopt;
      premises.push_back(std::move(*other));
    }
    return conclude("one sum over coordinates", e, claim, {}, std::move(premises));
  }
  return std::nullopt;
}

Found kernel(Prover& prover, const Expr& e) { return joined(prover, e, Claim::kernel); }
Found conditional(Prover& prover, const Expr& e) { return joined(prover, e, Claim::conditional); }

}  // namespace

Rules rule_joined_coordinates() {
  const Rule rule{"one sum over coordinates",
                  "Σ_i k(x_i, z_i) + Σ_i h(x_i, z_i) = Σ_i (k + h)(x_i, z_i): a kernel "
                  "(conditionally positive definite) if k + h is, and so is the rest.",
                  "column restriction and rule (2)"};
  return {{65, Claim::kernel, kernel, {rule}}, {65, Claim::conditional, conditional, {rule}}};
}

}  // namespace mercer::proof
