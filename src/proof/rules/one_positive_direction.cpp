// 1/(f(x) f(z) - k)
#include "proof/features_gram.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

// u^(-r) for u = Σ G_ij f_i(x) f_j(z) - k with a kernel k and a G with one positive direction: u is
// l(x) l(z) - κ with a kernel κ, and |κ(x,z)| < |l(x) l(z)| since u(x,x) > 0.
Found inverse(Prover& prover, const Expr& e) {
  for (const auto& [c, u, r] : inverse_forms(e)) {
    if (!prover.lorentzian(u)) continue;
    const auto gram = feature_gram(u);
    std::vector<Derivation> premises;
    if (!algebra::is_number(gram->rest, 0)) {
      auto rest = prover.prove(algebra::scale(-1, gram->rest), Claim::kernel);
      if (!rest) return std::nullopt;
      premises.push_back(std::move(*rest));
    }
    std::vector<Given> with{given("c", c), given("r", r), given("u", u)};
    for (std::size_t i = 0; i < gram->features.size(); ++i)
      with.push_back(given("f" + std::to_string(i + 1), gram->features[i]));
    return conclude("one positive direction", e, Claim::kernel, {.with = std::move(with)},
                    std::move(premises));
  }
  return std::nullopt;
}

}  // namespace

Rules rule_one_positive_direction() {
  return {{325,
           Claim::kernel,
           inverse,
           {{"one positive direction",
             "u^(-r) with r > 0 is a kernel if it is defined, u(x,x) > 0 and u = Σ G_ij f_i(x) "
             "f_j(z) - k, where G has one positive eigenvalue and k is a kernel.",
             "u = l(x) l(z) - κ(x,z) with a kernel κ; a power series in κ/(l l)"}}}};
}

}  // namespace mercer::proof
