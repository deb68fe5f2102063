// min(g(x), g(z)), and monotone functions of min and max.
#include <cmath>
#include <mercer/error.hpp>

#include "kernel/transform.hpp"
#include "proof/calculus.hpp"
#include "proof/constant_sign.hpp"
#include "proof/monotone.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::equal;
using algebra::swap_sides;

// The node min(f(x), f(z)) or max(f(x), f(z)) through which alone an expression sees the points.
std::optional<Expr> only_extremum(const Expr& e) {
  if (e->op == Op::minimum || e->op == Op::maximum) {
    std::vector<Expr> sides;  // beside constants: min(x, z, 1) = min(min(x, 1), min(z, 1))
    for (const auto& arg : e->args)
      if (arg->uses_x || arg->uses_z) sides.push_back(arg);
    if (sides.size() == 1) return only_extremum(sides[0]);  // max(min(x, z), 0)
    if (sides.size() != 2 || !equal(swap_sides(sides[0]), sides[1])) return std::nullopt;
    if (sides[0]->uses_x == sides[0]->uses_z) return std::nullopt;
    return e->op == Op::minimum ? algebra::minimum(sides) : algebra::maximum(sides);
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

// e with the extremum, or the extremum and constants, as a function of the number x.
Expr as_function(const Expr& e, const Expr& extremum) {
  if (equal(e, extremum)) return number_x();
  if (e->args.empty()) return e;
  std::vector<Expr> args;
  if (e->op == extremum->op) {
    const auto is_side = [&](const Expr& arg) {
      return equal(arg, extremum->args[0]) || equal(arg, extremum->args[1]);
    };
    for (const auto& arg : e->args)
      if (!is_side(arg)) args.push_back(arg);
    if (args.size() + 2 == e->args.size()) {
      args.push_back(number_x());
      return e->op == Op::minimum ? algebra::minimum(args) : algebra::maximum(args);
    }
    args.clear();
  }
  for (const auto& arg : e->args) args.push_back(as_function(arg, extremum));
  return algebra::with_args(*e, std::move(args));
}

// g where e = g(min(f(x), f(z))) and g does not fall, or e = g(max(f(x), f(z))) and g does not
// rise: then e = min(g(f(x)), g(f(z))).
struct Monotone {
  Expr extremum;
  Expr g;         // of the number x
  Domain values;  // of f
  bool rises;
};

std::optional<Monotone> as_minimum(const Prover& prover, const Expr& e) {
  const auto extremum = only_extremum(e);
  if (!extremum) return std::nullopt;
  const bool of_min = (*extremum)->op == Op::minimum;
  const auto range = prover.range((*extremum)->args[0]);
  Monotone result{*extremum, as_function(e, *extremum), between(range.low, range.high), of_min};
  if (result.g->uses_z || result.g->free_levels != 0) return std::nullopt;
  const Trend trend = trend_in(result.g, number_x(), result.values);
  if (of_min ? rises(trend) : falls(trend)) return result;
  const auto slope = derivative(result.g, algebra::Side::x);
  if (!slope || !nonnegative_on(algebra::scale(of_min ? 1 : -1, *slope), result.values))
    return std::nullopt;
  return result;
}

// At the lowest value that a monotone g takes.
std::optional<int> sign_at_the_end(const Monotone& m) {
  const auto bounds = m.values.bounds();
  const double end = m.rises ? bounds.low : bounds.high;
  if (!std::isfinite(end)) return std::nullopt;
  try {
    return constant_sign(replaced(m.g, number_x(), algebra::number(Rational::exactly(end))));
  } catch (const Error&) {
    return std::nullopt;  // not defined at the end
  }
}

Details details_of(const Monotone& m) {
  return {.with = {given("extremum", m.extremum), given("g", m.g)}};
}

Found minimum(Prover& prover, const Expr& e) {
  const auto m = as_minimum(prover, e);
  if (!m || !(prover.nonnegative(e) || sign_at_the_end(*m).value_or(-1) >= 0)) return std::nullopt;
  return conclude("minimum", e, Claim::kernel, details_of(*m));
}

Found divisible_minimum(Prover& prover, const Expr& e) {
  const auto m = as_minimum(prover, e);
  if (!m || !(prover.positive(e) || sign_at_the_end(*m) == 1)) return std::nullopt;
  return conclude("minimum", e, Claim::divisible, details_of(*m));
}

Found conditional_minimum(Prover& prover, const Expr& e) {
  const auto m = as_minimum(prover, e);
  if (!m) return std::nullopt;
  return conclude("minimum, conditionally", e, Claim::conditional, details_of(*m));
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
