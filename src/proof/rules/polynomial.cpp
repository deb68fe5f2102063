// Polynomials are decided completely, by the matrix of their coefficients.
#include "kernel/polynomial.hpp"
#include "kernel/form.hpp"
#include "kernel/transform.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using Found = std::optional<Derivation>;

Found polynomial(Prover& prover, const Expr& e) {
  const auto gram = polynomial_gram(e, prover.dimension());
  if (!gram) return std::nullopt;
  const auto answer = definiteness(gram->G);
  if (!answer || !answer->semidefinite) return std::nullopt;
  return conclude("polynomial", e, Claim::kernel,
                  "the matrix of its coefficients in " + std::to_string(gram->monomials.size()) +
                      " monomials is positive semidefinite, of rank " +
                      std::to_string(answer->rank));
}

// Σ a_k (x·z)^k with all a_k >= 0, in every dimension.
Found polynomial_of_dot(Prover&, const Expr& e) {
  const auto series = dot_coefficients(e);
  if (!series) return std::nullopt;
  for (const auto& [k, c] : *series)
    if (c.sign() < 0) return std::nullopt;
  std::string note = "coefficients of powers of x.z:";
  for (const auto& [k, c] : *series) note += " " + c.text() + " (" + std::to_string(k) + ")";
  return conclude("polynomial of x.z", e, Claim::kernel, note);
}

// Written out, some differences cancel.
Found expanded(Prover& prover, const Expr& e) {
  if (e->op != Op::sum && e->op != Op::product) return std::nullopt;
  const Expr flat = multiplied_out(e);
  if (algebra::equal(flat, e)) return std::nullopt;
  auto premise = prover.prove(flat, Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("multiply out", e, Claim::kernel, "", {std::move(*premise)});
}

Found conditional_expanded(Prover& prover, const Expr& e) {
  if (e->op != Op::sum && e->op != Op::product) return std::nullopt;
  const Expr flat = multiplied_out(e);
  if (algebra::equal(flat, e)) return std::nullopt;
  auto premise = prover.prove(flat, Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("multiply out", e, Claim::conditional, "", {std::move(*premise)});
}

// Π(1 + k_i) = 1 + Σ k_i + more kernels: what is asked for may be found in the first two.
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
    return conclude("part of a product", e, Claim::kernel, "",
                    {std::move(*first), std::move(*second)});
  }
  return std::nullopt;
}

}  // namespace

std::vector<RuleEntry> polynomial_rules() {
  const Rule expand{"multiply out", "The same function, written as a sum of products.", "algebra"};
  return {
      {{"polynomial",
        "m(x)ᵀ G m(z) with monomials m is a kernel if G is positive semidefinite (and on a set "
        "with "
        "interior only then).",
        "G = LDLᵀ is a feature map; exact rational elimination"},
       Claim::kernel,
       polynomial},
      {{"polynomial of x.z", "Σ a_k (x·z)^k with all a_k >= 0 is a kernel in every dimension.",
        "rules (0), (2), (3)"},
       Claim::kernel,
       polynomial_of_dot},
      {{"part of a product",
        "Π(1 + k_i) - 1 - Σ k_i is a kernel if the k_i are: the products of two and more of them.",
        "multiply out"},
       Claim::kernel,
       part_of_product},
      {expand, Claim::kernel, expanded},
      {expand, Claim::conditional, conditional_expanded},
  };
}

}  // namespace mercer::proof
