// max(0, f(x) f(z)): the points on either side of f = 0, apart.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found positive_part(Prover&, const Expr& e) {
  if (e->op != Op::maximum || e->args.size() != 2) return std::nullopt;
  for (const std::size_t i : {0U, 1U}) {
    if (!algebra::is_number(e->args[1 - i], 0)) continue;
    const auto [c, rest] = algebra::split_coefficient(e->args[i]);
    if (c.sign() <= 0) continue;
    const Sides sides = split_sides(rest);
    if (!sides.mixed.empty() || algebra::is_number(sides.of_x) ||
        !algebra::equal(algebra::swap_sides(sides.of_x), sides.of_z))
      continue;
    return conclude("positive part of a product", e, Claim::kernel,
                    {.with = {given("f(x)", sides.of_x)}});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_positive_part() {
  return {
      {35,
       Claim::kernel,
       positive_part,
       {{"positive part of a product", "max(0, c f(x) f(z)) is a kernel for every f and c >= 0.",
         "two features: max(0, f) and max(0, -f)"}}}};
}

}  // namespace mercer::proof
