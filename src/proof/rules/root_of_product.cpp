// (a b)^r = a^r b^r.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found root_of_product(Prover& prover, const Expr& e) {
  if (e->op != Op::power || e->args[0]->op != Op::product || !algebra::is_number(e->args[1]))
    return std::nullopt;
  std::vector<Expr> factors;
  for (const auto& f : e->args[0]->args) {
    if (!prover.nonnegative(f)) return std::nullopt;
    factors.push_back(algebra::power(f, e->args[1]->number));
  }
  return prover.same("power of a product", e, algebra::multiply(factors), Claim::kernel);
}

}  // namespace

Rules rule_root_of_product() {
  return {{230,
           Claim::kernel,
           root_of_product,
           {{"power of a product", "(a b)^r = a^r b^r for a, b >= 0.", "algebra"}}}};
}

}  // namespace mercer::proof
