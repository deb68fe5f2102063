// Sums and products over the coordinates, less a part of themselves.
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::is_number;

// The numbers p of coordinates for which e has the sum over sets of p of them of the same kernel.
std::vector<std::uint32_t> sizes_in(const Expr& e, const algebra::Columns& columns,
                                    const Expr& body) {
  std::vector<std::uint32_t> sizes{0, 1};
  for (const auto& t : e->args)
    if (t->op == Op::symmetric_over && t->columns == columns && equal(t->args[0], body))
      sizes.push_back(t->degree);
  return sizes;
}

Expr over_sets(std::uint32_t size, const algebra::Columns& columns, const Expr& body) {
  if (size == 0) return algebra::number(1);
  return size == 1 ? algebra::sum_over(columns, body)
                   : algebra::symmetric_over(size, columns, body);
}

// What is asked for may be found among the sums over few coordinates.
Found part_of_product(Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr& p = e->args[i];
    const Rational& c = e->coefficients[i];
    if (p->op != Op::product_over || c.sign() <= 0) continue;
    const Expr body = algebra::subtract(p->args[0], algebra::number(1));
    auto first = prover.prove_for_coordinate(body, Claim::kernel);
    if (!first) continue;
    std::vector<algebra::Term> terms{{1, e}, {-c, p}};
    std::vector<Given> with{given("c", c)};
    const auto sizes = sizes_in(e, p->columns, body);
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      terms.push_back({c, over_sets(sizes[j], p->columns, body)});
      with.push_back(given("p" + std::to_string(j + 1), Rational(std::int64_t{sizes[j]})));
    }
    auto second = prover.prove(algebra::sum(terms), Claim::kernel);
    if (!second) continue;
    return conclude("part of a product", e, Claim::kernel, {.with = std::move(with)},
                    {std::move(*first), std::move(*second)});
  }
  return std::nullopt;
}

// (Σ k_i)^n without Σ k_i^n.
Found part_of_power(Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr& p = e->args[i];
    const Rational& c = e->coefficients[i];
    if (p->op != Op::power || !is_number(p->args[1]) || c.sign() <= 0) continue;
    const auto n = p->args[1]->number.to_int();
    if (!n || *n < 2 || p->args[0]->op != Op::sum_over) continue;
    const Expr& over = p->args[0];
    const Expr powers =
        algebra::sum_over(over->columns, algebra::power(over->args[0], Rational(*n)));
    auto first = prover.prove_for_coordinate(over->args[0], Claim::kernel);
    if (!first) continue;
    auto second = prover.prove(algebra::sum({{1, e}, {-c, p}, {c, powers}}), Claim::kernel);
    if (!second) continue;
    return conclude("part of a power", e, Claim::kernel,
                    {.with = {given("c", c), given("n", Rational(*n))}},
                    {std::move(*first), std::move(*second)});
  }
  return std::nullopt;
}

// Σ_i k_i - c: each of m coordinates pays its part.
Found shared_constant(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->args.size() != 1 || e->number.sign() >= 0) return std::nullopt;
  const Expr& over = e->args[0];
  if (over->op != Op::sum_over || !over->columns.all() || e->coefficients[0].sign() <= 0)
    return std::nullopt;
  const Rational c = -e->number;
  const Rational m(std::int64_t{prover.dimension().value_or(e->least_dimension)});
  const Expr part = algebra::sum({{e->coefficients[0], over->args[0]}}, -c / m);
  auto premise = prover.prove_for_coordinate(part, Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("shared constant", e, Claim::kernel, {.with = {given("c", c), given("m", m)}},
                  {std::move(*premise)});
}

}  // namespace

Rules rule_part_of_coordinates() {
  return {
      {410,
       Claim::kernel,
       part_of_product,
       {{"part of a product",
         "c (Π_i (1 + k(x_i,z_i)) - Σ_p e_p) is a kernel if k is and c >= 0, where e_p is the sum "
         "over all sets of p coordinates of the product of k(x_i,z_i), and each p occurs once.",
         "multiply out: Π_i (1 + k_i) is the sum of all e_p"}}},
      {411,
       Claim::kernel,
       part_of_power,
       {{"part of a power",
         "c ((Σ_i k(x_i,z_i))^n - Σ_i k(x_i,z_i)^n) is a kernel if k is, for c >= 0 and whole n.",
         "multiply out: products of k at several coordinates, with multinomial coefficients"}}},
      {412,
       Claim::kernel,
       shared_constant,
       {{"shared constant",
         "Σ_i k(x_i,z_i) - c with c >= 0 is a kernel in dimension m and above if k - c/m is.",
         "Σ_i (k - c/m) + (d - m) c/m"}}},
  };
}

}  // namespace mercer::proof
