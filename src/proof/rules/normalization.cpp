// normalize(k).
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found normalized(Prover& prover, const Expr& e) {
  if (e->op != Op::normalize) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("normalization", e, Claim::kernel, {}, {std::move(*premise)});
}

}  // namespace

Rules rule_normalization() {
  return {{50,
           Claim::kernel,
           normalized,
           {{"normalization", "k(x,z)/√(k(x,x) k(z,z)), 0 where that is 0/0, is a kernel if k is.",
             "notes, rule (1) with f(x) = 1/√k(x,x) or 0"}}}};
}

}  // namespace mercer::proof
