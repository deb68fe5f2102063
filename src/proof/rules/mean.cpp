// Where all but the mean is known to be good: circles and spheres.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/defined.hpp"
#include "kernel/form.hpp"
#include "proof/calculus.hpp"
#include "proof/on_domain.hpp"
#include "proof/prover.hpp"
#include "proof/taylor.hpp"

namespace mercer::proof {

namespace {

// A lower bound of ∫ g(t) w(t) dt over [low, high] / ∫ w, by intervals on n pieces; the weights are
// bounded by their values at the ends of the piece, where they are monotone on each half.
double lower_mean(const Expr& g, double low, double high, int n, double (*weight)(double, int),
                  int order) {
  double total = 0;
  double mass_low = 0;
  double mass_high = 0;
  for (int i = 0; i < n; ++i) {
    const double a = low + (high - low) * i / n;
    const double b = low + (high - low) * (i + 1) / n;
    const double least =
        algebra::range_on(g, between(std::nextafter(a, -10), std::nextafter(b, 10))).low;
    if (!std::isfinite(least)) return -1;
    const double wa = weight(a, order);
    const double wb = weight(b, order);
    const double w_low = std::min(wa, wb) * (1 - 1e-12);
    const double w_high = std::max(wa, wb) * (1 + 1e-12) + 1e-300;
    total += least * (least > 0 ? w_low : w_high);
    mass_low += w_low;
    mass_high += w_high;
  }
  const double mean = total / (total > 0 ? mass_high : mass_low);
  return mean - 1e-9 * (1 + std::abs(mean));
}

// The waves of an expression: sin and cos of rational multiples of one difference.
bool collect_waves(const Expr& e, std::optional<Expr>& difference, std::vector<Rational>& factors) {
  if (!e->uses_x && !e->uses_z) return true;
  if (e->op == Op::function && (e->fn == Function::cos || e->fn == Function::sin)) {
    const auto [q, rest] = algebra::split_coefficient(e->args[0]);
    if (!is_difference(rest)) return false;
    if (difference && !algebra::equal(*difference, rest)) return false;
    difference = rest;
    factors.push_back(abs(q));
    return true;
  }
  if (e->args.empty() || e->op == Op::normalize || e->op == Op::sum_over ||
      e->op == Op::product_over || e->op == Op::symmetric_over)
    return false;
  return std::ranges::all_of(
      e->args, [&](const Expr& arg) { return collect_waves(arg, difference, factors); });
}

// The largest q of which all factors are whole multiples.
std::optional<Rational> common(const std::vector<Rational>& factors) {
  std::int64_t up = 0;
  std::int64_t down = 1;
  for (const auto& f : factors) {
    const auto p = f.numerator().to_int();
    const auto q = f.denominator().to_int();
    constexpr std::int64_t largest = 1'000'000;
    if (!p || !q || *p > largest || *q > largest || down > largest) return std::nullopt;
    down = std::lcm(down, *q);
  }
  for (const auto& f : factors) up = std::gcd(up, *(f * Rational(down)).to_int());
  return up == 0 ? std::nullopt : std::optional(Rational(up, down));
}

double no_weight(double, int) { return 1; }
double sine_weight(double theta, int order) { return std::pow(std::sin(theta), order); }

constexpr double pi = 3.14159265358979323846;

Found on_circle(Prover& prover, const Expr& e) {
  std::optional<Expr> difference;
  std::vector<Rational> factors;
  if (e->op != Op::sum || !collect_waves(e, difference, factors) || !difference)
    return std::nullopt;
  const auto q = common(factors);
  if (!q) return std::nullopt;
  // As a function of one number and everywhere: the domain may hold only a part of the period.
  const Expr stationary = replaced(e, *difference, algebra::subtract(number_x(), number_z()));
  auto premise = prover.prove_on(Domain::reals(), 1, stationary, Claim::conditional);
  if (!premise) return std::nullopt;
  // θ = q D from 0 to 2π
  const Expr g = replaced(e, *difference, algebra::scale(Rational(1) / *q, number_x()));
  constexpr int pieces = 8192;
  if (g->uses_z || lower_mean(g, 0, 2 * pi, pieces, no_weight, 0) <= 0) return std::nullopt;
  return conclude("mean over a period", e, Claim::kernel,
                  {.with = {given("f(x) - f(z)", *difference), given("q", *q)}},
                  {std::move(*premise)});
}

Found on_sphere(Prover& prover, const Expr& e) {
  if (prover.domain().kind() != Domain::Kind::sphere || !prover.dimension()) return std::nullopt;
  const std::uint32_t d = *prover.dimension();
  if (d < 2 || d > 50 || e->op != Op::sum) return std::nullopt;
  const Expr simple = simplified_on(e, prover.domain());
  for (const auto& t : variables_of(simple)) {
    if (!algebra::is_dot_product(t)) continue;
    auto premise = prover.prove(e, Claim::conditional);
    if (!premise) return std::nullopt;
    // t = cos θ; sqrt(2 - 2t) may be a little below 0 in intervals: its square is cut at 0.
    const Expr angle = algebra::apply_function(Function::cos, number_x());
    const Expr g = replaced(simple, t, angle);
    constexpr int pieces = 4096;
    if (g->uses_z) return std::nullopt;
    // sin θ is monotone on each half of [0, π].
    const double first = lower_mean(g, 0, pi / 2, pieces, sine_weight, static_cast<int>(d) - 2);
    const double second = lower_mean(g, pi / 2, pi, pieces, sine_weight, static_cast<int>(d) - 2);
    if (first + second <= 0) return std::nullopt;
    return conclude("mean over the sphere", e, Claim::kernel,
                    {.with = {given("t", t), given("d", Rational(d))}}, {std::move(*premise)});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_mean() {
  return {
      {360,
       Claim::kernel,
       on_circle,
       {{"mean over a period",
         "A continuous periodic function of f(x) - f(z) that is conditionally positive definite "
         "and whose mean over a period is >= 0 is a kernel.",
         "Herglotz: all Fourier coefficients but that of 1 are >= 0"}}},
      {361,
       Claim::kernel,
       on_sphere,
       {{"mean over the sphere",
         "A continuous function of x·z on the sphere of dimension d that is conditionally positive "
         "definite and whose mean over the sphere is >= 0 is a kernel.",
         "Schoenberg 1942: all Gegenbauer coefficients but that of 1 are >= 0"}}},
  };
}

}  // namespace mercer::proof
