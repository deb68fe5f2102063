// A kernel is conditionally positive definite.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found weaker(Prover& prover, const Expr& e) {
  if (e->op == Op::sum && e->args.size() == 1 && e->coefficients[0].sign() < 0) return std::nullopt;
  auto premise = prover.prove(e, Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("a kernel, conditionally", e, Claim::conditional, {}, {std::move(*premise)});
}

}  // namespace

Rules rule_weaker() {
  return {{70,
           Claim::conditional,
           weaker,
           {{"a kernel, conditionally", "A kernel is conditionally positive definite.",
             "definition"}}}};
}

}  // namespace mercer::proof
