// Σ f_i(x) G_ij f_j(z) with a positive semidefinite G.
#include "proof/features_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found finite_features(Prover& prover, const Expr& e) {
  if (e->op != Op::sum) return std::nullopt;
  const auto gram = feature_gram(e);
  if (!gram || gram->features.size() < 2) return std::nullopt;
  const auto signs = inertia(gram->G);
  if (!signs || signs->negative > 0) return std::nullopt;
  std::vector<Given> with;
  for (std::size_t i = 0; i < gram->features.size(); ++i) {
    with.push_back(given("f" + std::to_string(i + 1), gram->features[i]));
    for (std::size_t j = 0; j <= i; ++j)
      if (!algebra::is_number(gram->G[i][j], 0))
        with.push_back(
            given("G" + std::to_string(j + 1) + "," + std::to_string(i + 1), gram->G[i][j]));
  }
  std::vector<Derivation> premises;
  if (!algebra::is_number(gram->rest, 0)) {
    auto rest = prover.prove(gram->rest, Claim::kernel);
    if (!rest) return std::nullopt;
    premises.push_back(std::move(*rest));
  }
  return conclude("finite features", e, Claim::kernel, {.with = std::move(with)},
                  std::move(premises));
}

}  // namespace

Rules rule_finite_features() {
  return {
      {405,
       Claim::kernel,
       finite_features,
       {{"finite features",
         "Σ_ij G_ij f_i(x) f_j(z) with a positive semidefinite G is a kernel, and so is its sum "
         "with another.",
         "G = LDLᵀ; notes, rules (0), (1), (2)"}}}};
}

}  // namespace mercer::proof
