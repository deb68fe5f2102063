// Products, and factors that depend on one point only.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found product(Prover& prover, const Expr& e) {
  if (e->op != Op::product && !algebra::is_function(e, Function::exp)) return std::nullopt;
  const Sides sides = split_sides(e);  // exp(f(x) + f(z)) is a product, too
  if (!algebra::equal(algebra::swap_sides(sides.of_x), sides.of_z)) return std::nullopt;
  if (e->op != Op::product && algebra::is_number(sides.of_x)) return std::nullopt;
  std::vector<Derivation> premises;
  for (const auto& f : sides.mixed) {
    auto premise = prover.prove(f, Claim::kernel);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
  }
  if (algebra::is_number(sides.of_x))
    return conclude("product", e, Claim::kernel, {}, std::move(premises));
  const char* rule = premises.empty() ? "one feature" : "f(x) k f(z)";
  return conclude(rule, e, Claim::kernel, {.with = {given("f(x)", sides.of_x)}},
                  std::move(premises));
}

Found divisible_product(Prover& prover, const Expr& e) {
  if (e->op != Op::product) return std::nullopt;
  const Sides sides = split_sides(e);
  if (!algebra::equal(algebra::swap_sides(sides.of_x), sides.of_z)) return std::nullopt;
  if (!prover.positive(sides.of_x)) return std::nullopt;
  std::vector<Derivation> premises;
  for (const auto& f : sides.mixed) {
    auto premise = prover.prove(f, Claim::divisible);
    if (!premise) return std::nullopt;
    premises.push_back(std::move(*premise));
  }
  Details details;
  if (!algebra::is_number(sides.of_x)) details.with = {given("f(x)", sides.of_x)};
  return conclude("product, divisible", e, Claim::divisible, std::move(details),
                  std::move(premises));
}

}  // namespace

Rules rule_product() {
  return {
      {30,
       Claim::kernel,
       product,
       {{"product", "Products of kernels are kernels.", "notes, rule (3); Schur 1911"},
        {"one feature", "f(x) f(z) is a kernel for every f.", "notes, rules (0) and (1): φ = f"},
        {"f(x) k f(z)", "f(x) k(x,z) f(z) is a kernel for every kernel k and every f.",
         "notes, rule (1)"}}},
      {30,
       Claim::divisible,
       divisible_product,
       {{"product, divisible",
         "Products of infinitely divisible kernels and of f(x) f(z) with f > 0 are infinitely "
         "divisible.",
         "(a b)^t = a^t b^t"}}},
  };
}

}  // namespace mercer::proof
