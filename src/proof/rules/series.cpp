// Functions of a kernel with a power series whose coefficients are >= 0, and exp.
#include "kernel/print.hpp"
#include "kernel/transform.hpp"
#include "proof/exponential_polynomial.hpp"
#include "proof/prover.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;
using algebra::scale;
using Found = std::optional<Derivation>;

Found exponential(Prover& prover, const Expr& e) {
  if (!is_function(e, Function::exp)) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("exp", e, Claim::kernel, "", {std::move(*premise)});
}

// exp(a) exp(b) = exp(a + b); c^k = exp(k log c).
Found joined_exponentials(Prover& prover, const Expr& e) {
  if (e->op != Op::product) return std::nullopt;
  std::vector<algebra::Term> exponents;
  std::vector<Expr> others;
  for (const auto& f : e->args) {
    if (is_function(f, Function::exp)) {
      exponents.push_back({1, f->args[0]});
    } else {
      others.push_back(f);
    }
  }
  if (exponents.size() < 2) return std::nullopt;
  others.push_back(algebra::apply_function(Function::exp, algebra::sum(exponents)));
  auto premise = prover.prove(algebra::multiply(others), Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("joined exponentials", e, Claim::kernel, "", {std::move(*premise)});
}

Found constant_to_a_kernel(Prover& prover, const Expr& e) {
  if (e->op != Op::power || !is_number(e->args[0]) || is_number(e->args[1])) return std::nullopt;
  const Rational& c = e->args[0]->number;
  if (c.sign() <= 0) return std::nullopt;
  auto premise = prover.prove(scale(c < Rational(1) ? -1 : 1, e->args[1]), Claim::conditional);
  if (!premise) return std::nullopt;
  return conclude("exp", e, Claim::kernel, "c^k = exp(k log c)", {std::move(*premise)});
}

Found entire_series(Prover& prover, const Expr& e) {
  if (!is_function(e, Function::cosh) && !is_function(e, Function::sinh)) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("power series", e, Claim::kernel, "all coefficients of the series are >= 0",
                  {std::move(*premise)});
}

// asin(t) = t + t³/6 + …, on [-1, 1].
Found arcsine(Prover& prover, const Expr& e) {
  if (!is_function(e, Function::asin)) return std::nullopt;
  const auto range = prover.range(e->args[0]);
  if (range.low < -1 || range.high > 1) return std::nullopt;
  auto premise = prover.prove(e->args[0], Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("power series", e, Claim::kernel,
                  "asin has coefficients >= 0 and its series converges on [-1,1]",
                  {std::move(*premise)});
}

// c - k with c > 0 and a kernel k: the k, where e has that form and is positive on the domain. Then
// |k(x,z)| <= √(k(x,x) k(z,z)) < c as well, so that series in k/c converge.
std::optional<Derivation> kernel_below_constant(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->number.sign() <= 0 || !prover.positive(e)) return std::nullopt;
  return prover.prove(algebra::subtract(algebra::number(e->number), e), Claim::kernel);
}

// (c - k)^(-r) = c^(-r) Σ C(r+n-1, n) (k/c)^n
Found binomial_series(Prover& prover, const Expr& e) {
  if (e->op != Op::power || !is_number(e->args[1]) || e->args[1]->number.sign() >= 0)
    return std::nullopt;
  auto premise = kernel_below_constant(prover, e->args[0]);
  if (!premise) return std::nullopt;
  return conclude("power series", e, Claim::kernel,
                  "(c - t)^(-r) has coefficients >= 0 and its series converges for |t| < c",
                  {std::move(*premise)});
}

// -log(c - k) = -log(c) + Σ (k/c)^n / n
Found logarithmic_series(Prover& prover, const Expr& e) {
  const auto [c, rest] = algebra::split_coefficient(e);
  if (c.sign() >= 0 || !is_function(rest, Function::log)) return std::nullopt;
  const Expr& arg = rest->args[0];
  if (arg->op != Op::sum || arg->number > Rational(1)) return std::nullopt;
  auto premise = kernel_below_constant(prover, arg);
  if (!premise) return std::nullopt;
  return conclude(
      "power series", e, Claim::kernel,
      "-log(c - t) with c <= 1 has coefficients >= 0 and its series converges for |t| < c",
      {std::move(*premise)});
}

// Exponential polynomials in one kernel t, such as exp(t) - 1 - t: all coefficients of the series.
Found exponential_series(Prover& prover, const Expr& e) {
  const auto f = exponential_polynomial(e);
  if (!f || !f->all_coefficients_nonnegative()) return std::nullopt;
  auto premise = prover.prove(f->variable(), Claim::kernel);
  if (!premise) return std::nullopt;
  return conclude("power series", e, Claim::kernel,
                  "all coefficients of its series in t = " +
                      print(f->variable(), algebra::Naming::formulas) + " are >= 0",
                  {std::move(*premise)});
}

Found cosine_of_difference(Prover&, const Expr& e) {
  if (!is_function(e, Function::cos) || !is_difference(e->args[0])) return std::nullopt;
  return conclude("cosine of a difference", e, Claim::kernel,
                  "f(x) - f(z) = " + print(e->args[0], algebra::Naming::formulas));
}

}  // namespace

std::vector<RuleEntry> series_rules() {
  const Rule series{
      "power series",
      "f(k) is a kernel for a kernel k and a power series f with coefficients >= 0 that "
      "converges at its values.",
      "rules (0), (2), (3) and limits of kernels; Schoenberg 1942"};
  return {
      {{"exp",
        "exp(c) is a kernel if c is conditionally positive definite, in particular if c is a "
        "kernel.",
        "Schoenberg 1938; Berg, Christensen and Ressel 1984, theorem 3.2.2"},
       Claim::kernel,
       exponential},
      {{"exp",
        "exp(c) is a kernel if c is conditionally positive definite, in particular if c is a "
        "kernel.",
        "Schoenberg 1938; Berg, Christensen and Ressel 1984, theorem 3.2.2"},
       Claim::kernel,
       constant_to_a_kernel},
      {{"joined exponentials", "exp(a) exp(b) = exp(a + b).", "algebra"},
       Claim::kernel,
       joined_exponentials},
      {series, Claim::kernel, entire_series},
      {series, Claim::kernel, exponential_series},
      {series, Claim::kernel, arcsine},
      {series, Claim::kernel, binomial_series},
      {series, Claim::kernel, logarithmic_series},
      {{"cosine of a difference",
        "cos(f(x) - f(z)) = cos f(x) cos f(z) + sin f(x) sin f(z) is a kernel.",
        "two features, rules (1) and (2)"},
       Claim::kernel,
       cosine_of_difference},
  };
}

}  // namespace mercer::proof
