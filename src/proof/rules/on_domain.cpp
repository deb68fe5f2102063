// The same function on the domain, written more simply.
#include "proof/on_domain.hpp"

#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found simplified(Prover& prover, const Expr& e, Claim claim) {
  return prover.same("on the domain", e, simplified_on(e, prover.domain()), claim);
}

Found kernel(Prover& prover, const Expr& e) { return simplified(prover, e, Claim::kernel); }
Found conditional(Prover& prover, const Expr& e) {
  return simplified(prover, e, Claim::conditional);
}

}  // namespace

Rules rule_on_domain() {
  const Rule rule{"on the domain",
                  "The same values at all points of the domain: |x| = 1 on the sphere, |u| = u "
                  "where u >= 0, u/u = 1 where u != 0, sin² = 1 - cos².",
                  "algebra"};
  return {{5, Claim::kernel, kernel, {rule}}, {5, Claim::conditional, conditional, {rule}}};
}

}  // namespace mercer::proof
