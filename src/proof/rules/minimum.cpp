// min(g(x), g(z)), and monotone functions of min and max.
#include "kernel/transform.hpp"
#include "proof/monotone.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::swap_sides;

// The node min(f(x), f(z)) or max(f(x), f(z)) through which alone an expression sees the points.
std::optional<Expr> only_extremum(const Expr& e) {
  if (e->op == Op::minimum || e->op == Op::maximum) {
    if (e->args.size() != 2 || !equal(swap_sides(e->args[0]), e->args[1])) return std::nullopt;
    if (e->args[0]->uses_x == e->args[0]->uses_z) return std::nullopt;
    return e;
  }
  std::optional<Expr> found;
  for (const auto& arg : e->args) {
    if (!arg->uses_x && !arg->uses_z) continue;
    const auto here = only_extremum(arg);
    if (!here || (found && !equal(*found, *here))) return std::nullopt;
    found = here;
  }
  if (e->op == Op::sum_over || e->op == Op::product_over || e->op == Op::symmetric_over)
    return std::nullopt;
  return found;
}

// e = min(g(x), g(z)): a function of min that does not fall, or of max that does not rise.
std::optional<Details> as_minimum(const Prover& prover, const Expr& e) {
  const auto extremum = only_extremum(e);
  if (!extremum) return std::nullopt;
  const bool of_min = (*extremum)->op == Op::minimum;
  const Trend trend = trend_in(e, *extremum, prover.domain());
  if (of_min ? !rises(trend) : !falls(trend)) return std::nullopt;
  return Details{.with = {given("extremum", *extremum)}};
}

Found minimum(Prover& prover, const Expr& e) {
  auto details = as_minimum(prover, e);
  if (!details || !prover.nonnegative(e)) return std::nullopt;
  return conclude("minimum", e, Claim::kernel, std::move(*details));
}

Found divisible_minimum(Prover& prover, const Expr& e) {
  auto details = as_minimum(prover, e);
  if (!details || !prover.positive(e)) return std::nullopt;
  return conclude("minimum", e, Claim::divisible, std::move(*details));
}

Found conditional_minimum(Prover& prover, const Expr& e) {
  auto details = as_minimum(prover, e);
  if (!details) return std::nullopt;
  return conclude("minimum, conditionally", e, Claim::conditional, std::move(*details));
}

}  // namespace

Rules rule_minimum() {
  return {
      {200,
       Claim::kernel,
       minimum,
       {{"minimum",
         "A function of min(f(x), f(z)) that does not fall, or of max(f(x), f(z)) that does not "
         "rise, is min(g(x), g(z)); for g >= 0 that is a kernel, for g > 0 an infinitely divisible "
         "one.",
         "notes, exercise 21: min(a,b) = ∫ 1[t<=a] 1[t<=b] dt over t >= 0"}}},
      {200, Claim::divisible, divisible_minimum, {}},
      {200,
       Claim::conditional,
       conditional_minimum,
       {{"minimum, conditionally",
         "A function of min(f(x), f(z)) that does not fall, or of max(f(x), f(z)) that does not "
         "rise, is conditionally positive definite.",
         "min(g(x), g(z)); on finitely many points g - c >= 0 for some constant c"}}},
  };
}

}  // namespace mercer::proof
