// A sum whose terms are not all kernels: one that is, and the rest.
#include <algorithm>

#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

Found without_constant(Prover& prover, const Expr& e) {
  if (e->number.sign() <= 0) return std::nullopt;
  auto rest = prover.prove(algebra::subtract(e, algebra::number(e->number)), Claim::kernel);
  if (!rest) return std::nullopt;
  return conclude("sum", e, Claim::kernel,
                  {.with = {given("c1", Rational(1)), given("constant", e->number)}},
                  {std::move(*rest)});
}

Found split(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->args.size() < 2) return std::nullopt;
  constexpr std::size_t most = 5;
  if (e->args.size() > most ||
      std::ranges::none_of(e->coefficients, [](const Rational& c) { return c.sign() < 0; }))
    return std::nullopt;
  if (auto found = without_constant(prover, e)) return found;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Rational& c = e->coefficients[i];
    if (c.sign() <= 0) continue;
    auto part = prover.prove(e->args[i], Claim::kernel);
    if (!part) continue;
    auto rest = prover.prove(algebra::sum({{1, e}, {-c, e->args[i]}}), Claim::kernel);
    if (!rest) continue;
    return conclude("sum", e, Claim::kernel, {.with = {given("c1", c), given("c2", Rational(1))}},
                    {std::move(*part), std::move(*rest)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_split_sum() { return {{490, Claim::kernel, split, {}}}; }

}  // namespace mercer::proof
