// Sums and products over the coordinates.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::scale;

Found over_coordinates(Prover& prover, const Expr& e) {
  const bool sums = e->op == Op::sum_over || e->op == Op::symmetric_over;
  if (!sums && e->op != Op::product_over) return std::nullopt;
  auto premise = prover.prove_for_coordinate(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude(e->op == Op::sum_over       ? "sum over coordinates"
                  : e->op == Op::product_over ? "product over coordinates"
                                              : "sum over sets of coordinates",
                  e, Claim::kernel, {}, {std::move(*premise)});
}

Found conditional_over_coordinates(Prover& prover, const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  if (rest->op != Op::sum_over) return std::nullopt;
  auto premise =
      prover.prove_for_coordinate(scale(c.sign() < 0 ? -1 : 1, rest->args[0]), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("sum over coordinates, conditionally", e, Claim::conditional,
                  {.with = {given("c1", abs(c))}}, {std::move(*premise)});
}

Found divisible_over_coordinates(Prover& prover, const Expr& e) {
  if (e->op != Op::product_over) return std::nullopt;
  auto premise = prover.prove_for_coordinate(e->args[0], Claim::divisible);
  if (!premise) return std::nullopt;
  return conclude("product over coordinates, divisible", e, Claim::divisible, {},
                  {std::move(*premise)});
}

}  // namespace

Rules rule_over_coordinates() {
  return {
      {60,
       Claim::kernel,
       over_coordinates,
       {{"sum over coordinates", "Σ_i k(x_i, z_i) is a kernel if k is.",
         "column restriction and rule (2)"},
        {"product over coordinates", "Π_i k(x_i, z_i) is a kernel if k is.",
         "column restriction and rule (3)"},
        {"sum over sets of coordinates",
         "The sum over all sets of p coordinates of Π k(x_i, z_i) is a kernel if k is.",
         "column restriction, rules (2) and (3)"}}},
      {60,
       Claim::conditional,
       conditional_over_coordinates,
       {{"sum over coordinates, conditionally",
         "Σ_i c(x_i, z_i) is conditionally positive definite if c is.",
         "column restriction, sum"}}},
      {60,
       Claim::divisible,
       divisible_over_coordinates,
       {{"product over coordinates, divisible", "Π_i k(x_i, z_i) is infinitely divisible if k is.",
         "(a b)^t = a^t b^t"}}},
  };
}

}  // namespace mercer::proof
