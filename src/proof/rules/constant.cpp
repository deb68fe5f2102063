// Constants.
#include "proof/constant_sign.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found constant(Prover&, const Expr& e) {
  if (constant_is_nonnegative(e) != true) return std::nullopt;
  return conclude("constant", e, Claim::kernel);
}

Found conditional_constant(Prover&, const Expr& e) {
  if (!algebra::is_constant(e)) return std::nullopt;
  return conclude("constant, conditionally", e, Claim::conditional);
}

Found divisible_constant(Prover&, const Expr& e) {
  if (!algebra::is_constant(e) || !e->positive) return std::nullopt;
  return conclude("positive constant", e, Claim::divisible);
}

}  // namespace

Rules rule_constant() {
  return {
      {10,
       Claim::kernel,
       constant,
       {{"constant", "A constant c >= 0 is a kernel.", "notes, rule (0): φ(x) = √c"}}},
      {10,
       Claim::conditional,
       conditional_constant,
       {{"constant, conditionally", "Every constant is conditionally positive definite.",
         "Σ a_i = 0"}}},
      {10,
       Claim::divisible,
       divisible_constant,
       {{"positive constant", "A constant c > 0 is an infinitely divisible kernel.", "c^t > 0"}}},
  };
}

}  // namespace mercer::proof
