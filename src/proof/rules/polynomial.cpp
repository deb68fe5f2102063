// Polynomials are decided completely, by the matrix of their coefficients.
#include "kernel/form.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found polynomial(Prover& prover, const Expr& e) {
  const auto gram = polynomial_gram(e, prover.dimension(), prover.domain());
  if (!gram) return std::nullopt;
  const auto answer = definiteness(gram->G);
  if (!answer || !answer->semidefinite) return std::nullopt;
  return conclude("polynomial", e, Claim::kernel,
                  {.note = std::to_string(gram->monomials.size()) + " monomials, rank " +
                           std::to_string(answer->rank)});
}

// Σ a_k (x·z)^k with all a_k >= 0, in every dimension.
Found polynomial_of_dot(Prover&, const Expr& e) {
  const auto series = algebra::dot_polynomial(e);
  if (!series) return std::nullopt;
  std::vector<Given> with;
  for (const auto& [k, c] : *series) {
    if (c.sign() < 0) return std::nullopt;
    with.push_back(given("a" + std::to_string(k), c));
  }
  return conclude("polynomial of x.z", e, Claim::kernel, {.with = std::move(with)});
}

}  // namespace

Rules rule_polynomial() {
  return {
      {400,
       Claim::kernel,
       polynomial,
       {{"polynomial",
         "m(x)ᵀ G m(z) with monomials m is a kernel if G is positive semidefinite (and only then "
         "where the monomials are independent).",
         "G = LDLᵀ is a feature map; exact rational elimination"}}},
      {401,
       Claim::kernel,
       polynomial_of_dot,
       {{"polynomial of x.z", "Σ a_k (x·z)^k with all a_k >= 0 is a kernel in every dimension.",
         "notes, rules (0), (2), (3)"}}},
  };
}

}  // namespace mercer::proof
