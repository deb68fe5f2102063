// f(k) for a power series f with coefficients >= 0.
#include "proof/prover.hpp"
#include "proof/series.hpp"
#include "proof/taylor.hpp"

namespace mercer::proof {

namespace {

Found power_series(Prover& prover, const Expr& e) {
  if (e->op != Op::sum && e->op != Op::product && e->op != Op::power && e->op != Op::function)
    return std::nullopt;
  const auto positive = [&](const Expr& part) { return prover.positive(part); };
  constexpr int most = 8;
  int tried = 0;
  for (const auto& t : variables_of(e)) {
    if (++tried > most) break;
    if (!series_signs(e, t, positive).all_nonnegative) continue;
    auto premise = prover.prove(t, Claim::kernel);
    if (!premise) continue;
    return conclude("power series", e, Claim::kernel, {.with = {given("t", t)}},
                    {std::move(*premise)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_power_series() {
  return {{120,
           Claim::kernel,
           power_series,
           {{"power series",
             "f(t) is a kernel for a kernel t and a power series f with coefficients >= 0 that "
             "converges at its values.",
             "notes, rules (0), (2), (3) and limits of kernels; Schoenberg 1942"}}}};
}

}  // namespace mercer::proof
