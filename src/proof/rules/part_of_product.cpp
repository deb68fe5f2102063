// Π(1 + k_i) = 1 + Σ k_i + more kernels.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

// What is asked for may be found in the first two.
Found part_of_product(Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr& p = e->args[i];
    if (p->op != Op::product_over || e->coefficients[i].sign() <= 0) continue;
    const Expr body = algebra::subtract(p->args[0], algebra::number(1));
    auto first = prover.prove(body, Claim::kernel);
    if (!first) continue;
    const Expr lower = algebra::add(algebra::number(1), algebra::sum_over(p->columns, body));
    const Expr rest = algebra::sum({{1, e}, {-e->coefficients[i], p}, {e->coefficients[i], lower}});
    auto second = prover.prove(rest, Claim::kernel);
    if (!second) continue;
    return conclude("part of a product", e, Claim::kernel,
                    {.with = {given("c", e->coefficients[i])}},
                    {std::move(*first), std::move(*second)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_part_of_product() {
  return {{410,
           Claim::kernel,
           part_of_product,
           {{"part of a product",
             "c (Π_i (1 + k(x_i,z_i)) - 1 - Σ_i k(x_i,z_i)) is a kernel if k is and c >= 0: the "
             "products of two and more of them.",
             "multiply out"}}}};
}

}  // namespace mercer::proof
