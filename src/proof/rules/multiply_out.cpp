// The same function, written as a sum of products.
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found expanded(Prover& prover, const Expr& e, Claim claim) {
  if (e->op != Op::sum && e->op != Op::product && e->op != Op::power) return std::nullopt;
  return prover.same("multiply out", e, multiplied_out(e), claim);
}

Found kernel(Prover& prover, const Expr& e) { return expanded(prover, e, Claim::kernel); }
Found conditional(Prover& prover, const Expr& e) { return expanded(prover, e, Claim::conditional); }

}  // namespace

Rules rule_multiply_out() {
  const Rule rule{"multiply out", "The same function, written as a sum of products.", "algebra"};
  return {{450, Claim::kernel, kernel, {rule}}, {450, Claim::conditional, conditional, {rule}}};
}

}  // namespace mercer::proof
