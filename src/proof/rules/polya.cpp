// Functions of |f(x) - f(z)| for a real f: Pólya's criterion, and straight lines on an interval.
#include <algorithm>
#include <cmath>

#include "proof/calculus.hpp"
#include "proof/constant_sign.hpp"
#include "proof/prover.hpp"
#include "proof/taylor.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::Side;

bool is_absolute_difference(const Expr& e) {
  return is_function(e, Function::abs) && is_difference(e->args[0]);
}

// Convex and not rising, as a function of the number x in the domain.
bool convex_and_falling(const Expr& g, const Domain& domain) {
  if (!g->uses_x) return true;
  if (g->op == Op::maximum)
    return std::ranges::all_of(g->args,
                               [&](const Expr& arg) { return convex_and_falling(arg, domain); });
  if (g->op == Op::sum &&
      std::ranges::all_of(g->coefficients, [](const Rational& c) { return c.sign() >= 0; }))
    return std::ranges::all_of(g->args,
                               [&](const Expr& arg) { return convex_and_falling(arg, domain); });
  if (is_function(g, Function::exp)) {
    // exp(-c min(a, b)) = max(exp(-c a), exp(-c b)), and exp(c max) likewise
    const auto [c, extremum] = algebra::split_coefficient(g->args[0]);
    const Rational factor = c;
    if ((extremum->op == Op::minimum && c.sign() < 0) ||
        (extremum->op == Op::maximum && c.sign() > 0))
      return std::ranges::all_of(extremum->args, [&](const Expr& arg) {
        return convex_and_falling(
            algebra::apply_function(Function::exp, algebra::scale(factor, arg)), domain);
      });
  }
  const auto slope = derivative(g, Side::x);
  const auto bend = slope ? derivative(*slope, Side::x) : std::nullopt;
  return bend && nonnegative_on(algebra::scale(-1, *slope), domain) &&
         nonnegative_on(*bend, domain);
}

Found polya(Prover& prover, const Expr& e) {
  if (e->op == Op::function && e->fn == Function::abs) return std::nullopt;
  if (!prover.nonnegative(e)) return std::nullopt;
  for (const auto& r : variables_of(e)) {
    if (!is_absolute_difference(r)) continue;
    const Expr g = replaced(e, r, number_x());
    if (g->uses_z || g->free_levels != 0) continue;
    const auto range = prover.range(r);
    const Domain distances =
        std::isfinite(range.high) ? between(0, range.high) : Domain::positive();
    if (!convex_and_falling(g, distances)) continue;
    return conclude("convex and falling", e, Claim::kernel,
                    {.with = {given("f(x) - f(z)", r->args[0]), given("h", g)}});
  }
  return std::nullopt;
}

// The length of an interval that holds f, for f(x) - f(z).
std::optional<Rational> reach(const Prover& prover, const Expr& difference) {
  if (difference->op != Op::sum) return std::nullopt;
  std::vector<algebra::Term> of_x;
  for (std::size_t i = 0; i < difference->args.size(); ++i)
    if (difference->args[i]->uses_x)
      of_x.push_back({difference->coefficients[i], difference->args[i]});
  const auto range = prover.range(algebra::sum(of_x));
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return std::nullopt;
  return Rational::exactly(range.high) - Rational::exactly(range.low);
}

// c - Σ a_j |D_j|, with D_j over intervals of length L_j: each L/2 - |D| is a kernel.
Found half_length(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->number.sign() <= 0) return std::nullopt;
  Rational needed;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr& t = e->args[i];
    const bool over = t->op == Op::sum_over && t->columns.all();
    const Expr& body = over ? t->args[0] : t;
    if (e->coefficients[i].sign() >= 0 || !is_absolute_difference(body)) return std::nullopt;
    if (over && !prover.dimension()) return std::nullopt;
    const auto length = reach(prover, body->args[0]);
    if (!length) return std::nullopt;
    const Rational times = over ? Rational(*prover.dimension()) : Rational(1);
    needed += -e->coefficients[i] * *length * times * Rational(1, 2);
  }
  if (needed > e->number) return std::nullopt;
  return conclude("half the length", e, Claim::kernel, {.with = {given("needed", needed)}});
}

// c + a D² - b |D| with |D| <= L = b/a: a (D² - L|D| + L²/6) = a Σ_k L²/(πk)² cos(2πkD/L).
Found bernoulli(Prover& prover, const Expr& e) {
  if (e->op != Op::sum || e->args.size() != 2) return std::nullopt;
  for (const std::size_t i : {0U, 1U}) {
    const Expr& square = e->args[i];
    const Expr& length = e->args[1 - i];
    const Rational& a = e->coefficients[i];
    const Rational b = -e->coefficients[1 - i];
    if (square->op != Op::power || !algebra::is_number(square->args[1], 2)) continue;
    if (!is_absolute_difference(length) || a.sign() <= 0 || b.sign() <= 0) continue;
    const Expr& D = length->args[0];
    if (!algebra::equal(square->args[0], D)) continue;
    const auto longest = reach(prover, D);
    const Rational L = b / a;
    const Rational needed = a * L * L / Rational(6);
    if (!longest || *longest > L || e->number < needed) continue;
    return conclude("Bernoulli polynomial", e, Claim::kernel,
                    {.with = {given("f(x) - f(z)", D), given("L", L), given("a", a),
                              given("constant", e->number - needed)}});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_polya() {
  return {
      {331,
       Claim::kernel,
       half_length,
       {{"half the length",
         "c - Σ a_j |f_j(x) - f_j(z)| with a_j >= 0 is a kernel where f_j takes values in an "
         "interval of length L_j and c >= Σ a_j L_j/2.",
         "L/2 - |s-t| = ½ ∫ sign(s-v) sign(t-v) dv over the interval"}}},
      {332,
       Claim::kernel,
       bernoulli,
       {{"Bernoulli polynomial",
         "a (D² - L |D| + L²/6) and constants >= 0 beside it, for D = f(x) - f(z), a >= 0 and f "
         "with values in an interval of length L, is a kernel.",
         "its Fourier series on [0,L] is Σ_k L²/(πk)² cos(2πkD/L)"}}},
      {335,
       Claim::kernel,
       polya,
       {{"convex and falling",
         "h(|f(x) - f(z)|) is a kernel for a real f if h >= 0 is continuous, convex and does not "
         "rise.",
         "Pólya 1949: a mixture of triangles max(0, c - |D|) and a constant"}}},
  };
}

}  // namespace mercer::proof
