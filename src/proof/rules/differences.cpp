// Distances: functions of negative type.
#include "kernel/transform.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;

Found squared_difference(Prover&, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::power || !is_number((*u)->args[1], 2)) return std::nullopt;
  if (!is_difference((*u)->args[0])) return std::nullopt;
  return conclude("squared difference", e, Claim::conditional,
                  {.with = {given("f(x) - f(z)", (*u)->args[0])}});
}

// |D| = (D²)^(1/2), for differences and for all else whose square is of negative type.
Found absolute_value(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || !is_function(*u, Function::abs)) return std::nullopt;
  auto premise = prover.prove(algebra::scale(-1, algebra::power((*u)->args[0], Rational(2))),
                              Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("absolute value", e, Claim::conditional, {}, {std::move(*premise)});
}

// sin(D)² = (1 - cos(2D))/2
Found squared_sine(Prover&, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::power || !is_number((*u)->args[1], 2)) return std::nullopt;
  if (!is_function((*u)->args[0], Function::sin) || !is_difference((*u)->args[0]->args[0]))
    return std::nullopt;
  return conclude("squared sine of a difference", e, Claim::conditional,
                  {.with = {given("f(x) - f(z)", (*u)->args[0]->args[0])}});
}

Found chi_squared(Prover& prover, const Expr& e) {
  const auto u = negated(e);
  if (!u || (*u)->op != Op::chi) return std::nullopt;
  const Expr& a = (*u)->args[0];
  const Expr& b = (*u)->args[1];
  if (!algebra::equal(algebra::swap_sides(a), b) || !prover.nonnegative(a)) return std::nullopt;
  return conclude("chi-squared distance", e, Claim::conditional,
                  {.with = {given("a", a), given("b", b)}});
}

}  // namespace

Rules rule_differences() {
  return {
      {300,
       Claim::conditional,
       squared_difference,
       {{"squared difference", "-(f(x) - f(z))² is conditionally positive definite.",
         "expand the square: 2 f(x) f(z) - f(x)² - f(z)²"}}},
      {301,
       Claim::conditional,
       squared_sine,
       {{"squared sine of a difference", "-sin(f(x) - f(z))² is conditionally positive definite.",
         "double angle: (cos(2D) - 1)/2"}}},
      {302,
       Claim::conditional,
       absolute_value,
       {{"absolute value", "-|u| is conditionally positive definite if -u² is.",
         "|u| = (u²)^(1/2); Schoenberg 1938"}}},
      {303,
       Claim::conditional,
       chi_squared,
       {{"chi-squared distance",
         "-(a-b)²/(a+b) is conditionally positive definite for a = g(x) >= 0, b = g(z).",
         "(a-b)²/(a+b) = a + b - 4ab/(a+b), and ab/(a+b) is a kernel; Fowlkes, Belongie, Chung and "
         "Malik 2004"}}},
  };
}

}  // namespace mercer::proof
