// cos(f(x) - f(z)).
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found cosine_of_difference(Prover&, const Expr& e) {
  if (!algebra::is_function(e, Function::cos) || !is_difference(e->args[0])) return std::nullopt;
  return conclude("cosine of a difference", e, Claim::kernel,
                  {.with = {given("f(x) - f(z)", e->args[0])}});
}

}  // namespace

Rules rule_cosine() {
  return {{130,
           Claim::kernel,
           cosine_of_difference,
           {{"cosine of a difference",
             "cos(f(x) - f(z)) = cos f(x) cos f(z) + sin f(x) sin f(z) is a kernel.",
             "two features, rules (1) and (2)"}}}};
}

}  // namespace mercer::proof
