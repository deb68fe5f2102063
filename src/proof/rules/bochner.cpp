// Stationary kernels with a spectral density in closed form.
#include <algorithm>
#include <map>

#include "kernel/form.hpp"
#include "proof/exponential_sum.hpp"
#include "proof/polynomial_gram.hpp"
#include "proof/prover.hpp"
#include "proof/taylor.hpp"
#include "proof/univariate.hpp"

namespace mercer::proof {

namespace {

using algebra::is_function;
using algebra::is_number;

// ---- Σ c r^m exp(-a r) {1, cos(b r), sin(b r)} for r = |D|: a rational density

struct SpectralTerm {
  Rational c;
  std::int64_t m = 0;
  Rational a;
  Rational b;  // >= 0
  bool sine = false;
};

std::optional<SpectralTerm> spectral_term(const Rational& c, const Expr& term, const Expr& r) {
  SpectralTerm result{c, 0, 0, 0, false};
  bool wave = false;
  const Expr& D = r->args[0];
  for (const auto& f : term->op == Op::product ? term->args : std::vector<Expr>{term}) {
    if (is_function(f, Function::exp) && result.a.is_zero()) {
      const auto [a, rest] = algebra::split_coefficient(f->args[0]);
      if (!algebra::equal(rest, r) || a.sign() >= 0) return std::nullopt;
      result.a = -a;
    } else if (const auto n = exponent_of(f, r)) {
      result.m += static_cast<std::int64_t>(*n);
    } else if (f->op == Op::power && is_number(f->args[1]) && algebra::equal(f->args[0], D) &&
               f->args[1]->number.is_even() && f->args[1]->number.sign() > 0) {
      result.m += f->args[1]->number.to_int().value_or(1000);
    } else if (f->op == Op::function && (f->fn == Function::cos || f->fn == Function::sin) &&
               !wave) {
      const auto [b, rest] = algebra::split_coefficient(f->args[0]);
      const bool of_r = algebra::equal(rest, r);
      const bool of_D = algebra::equal(rest, algebra::split_coefficient(D).rest);
      if (!of_r && !(of_D && f->fn == Function::cos)) return std::nullopt;
      result.b = of_r ? b : b / algebra::split_coefficient(D).coefficient;
      result.sine = f->fn == Function::sin;
      if (result.b.sign() < 0) {
        result.b = -result.b;
        if (result.sine) result.c = -result.c;
      }
      wave = true;
    } else {
      return std::nullopt;
    }
  }
  constexpr std::int64_t highest = 8;
  if (result.a.is_zero() || result.m > highest) return std::nullopt;
  return result;
}

void find_distances(const Expr& e, std::vector<Expr>& found) {
  if (is_function(e, Function::abs) && is_difference(e->args[0])) {
    if (std::ranges::none_of(found, [&](const Expr& r) { return algebra::equal(r, e); }))
      found.push_back(e);
    return;
  }
  for (const auto& arg : e->args) find_distances(arg, found);
}

struct Complex {
  Univariate re;
  Univariate im;
};

Univariate scaled(const Univariate& p, const Rational& c) { return multiply(p, {c}); }

// (a + iθ)^n for θ = w + shift
Complex power_of(const Rational& a, const Rational& shift, std::int64_t n) {
  const Univariate theta{shift, Rational(1)};
  Complex z{{Rational(1)}, {}};
  for (std::int64_t i = 0; i < n; ++i)
    z = {add(scaled(z.re, a), scaled(multiply(z.im, theta), -1)),
         add(scaled(z.im, a), multiply(z.re, theta))};
  return z;
}

Univariate quadratic(const Rational& a, const Rational& shift) {  // a² + (w + shift)²
  return {a * a + shift * shift, Rational(2) * shift, Rational(1)};
}

Univariate raised(const Univariate& p, std::int64_t n) {
  Univariate result{Rational(1)};
  for (std::int64_t i = 0; i < n; ++i) result = multiply(result, p);
  return result;
}

// The density times all its denominators, which are positive.
Univariate numerator(const std::vector<SpectralTerm>& terms) {
  std::map<std::pair<Rational, Rational>, std::int64_t> poles;  // (a, shift) -> order
  for (const auto& t : terms)
    for (const Rational& shift : {t.b, -t.b}) {
      auto& order = poles[{t.a, shift}];
      order = std::max(order, t.m + 1);
    }
  Univariate total;
  for (const auto& t : terms) {
    Rational factor = t.c;
    for (std::int64_t i = 2; i <= t.m; ++i) factor = factor * Rational(i);
    for (const bool up : {true, false}) {
      const Rational shift = up ? t.b : -t.b;
      const Complex z = power_of(t.a, shift, t.m + 1);
      Univariate part = scaled(t.sine ? z.im : z.re, t.sine && !up ? -factor : factor);
      for (const auto& [pole, order] : poles) {
        const bool own = pole == std::pair{t.a, shift};
        part = multiply(
            part, raised(quadratic(pole.first, pole.second), own ? order - (t.m + 1) : order));
      }
      total = add(total, part);
    }
  }
  return total;
}

Found rational_density(Prover& /*prover*/, const Expr& e) {
  if (e->op != Op::sum && e->op != Op::product) return std::nullopt;
  const Expr flat = multiplied_out(e);
  std::vector<Expr> distances;
  find_distances(flat, distances);
  if (distances.size() != 1) return std::nullopt;
  const Expr& r = distances[0];
  std::vector<SpectralTerm> terms;
  bool all = true;
  const auto add_term = [&](const Rational& c, const Expr& t) {
    const auto term = spectral_term(c, t, r);
    all = all && term;
    if (term) terms.push_back(*term);
  };
  if (flat->op == Op::sum) {
    if (flat->number.sign() < 0) return std::nullopt;
    for (std::size_t i = 0; all && i < flat->args.size(); ++i)
      add_term(flat->coefficients[i], flat->args[i]);
  } else {
    add_term(1, flat);
  }
  if (!all || terms.size() > 8) return std::nullopt;
  if (!nonnegative_between(numerator(terms), std::nullopt, std::nullopt)) return std::nullopt;
  return conclude("rational spectral density", e, Claim::kernel,
                  {.with = {given("f(x) - f(z)", r->args[0])}});
}

// ---- (Σ c exp(-g s), and (c + b s) exp(-g s)) for s = |x-z|² in dimension d

Found gaussians(Prover& prover, const Expr& e) {
  if ((e->op != Op::sum && e->op != Op::product) || !prover.dimension()) return std::nullopt;
  const Expr flat = multiplied_out(e);
  const auto d = static_cast<std::int64_t>(*prover.dimension());
  for (const auto& s : variables_of(flat)) {
    if (!algebra::is_squared_distance(s)) continue;
    std::map<Rational, std::pair<Rational, Rational>> by_g;  // g -> c, b
    bool all = flat->op != Op::sum || flat->number.sign() >= 0;
    const auto add_term = [&](const Rational& c, const Expr& t) {
      Rational g;
      std::uint64_t m = 0;
      for (const auto& f : t->op == Op::product ? t->args : std::vector<Expr>{t}) {
        if (is_function(f, Function::exp) && g.is_zero()) {
          const auto [a, rest] = algebra::split_coefficient(f->args[0]);
          all = all && algebra::equal(rest, s) && a.sign() < 0;
          g = -a;
        } else if (const auto n = exponent_of(f, s)) {
          m += *n;
        } else {
          all = false;
        }
      }
      all = all && g.sign() > 0 && m <= 1;
      if (all) (m == 0 ? by_g[g].first : by_g[g].second) += c;
    };
    if (flat->op == Op::sum) {
      for (std::size_t i = 0; all && i < flat->args.size(); ++i)
        add_term(flat->coefficients[i], flat->args[i]);
    } else {
      add_term(1, flat);
    }
    if (!all || by_g.empty()) continue;
    const bool plain =
        std::ranges::all_of(by_g, [](const auto& entry) { return entry.second.second.is_zero(); });
    if (plain) {
      // c g^(-d/2) exp(-w²/(4g))
      std::vector<Decay> decays;
      decays.reserve(by_g.size());
      for (const auto& [g, c] : by_g)
        decays.push_back(
            {algebra::scale(c.first, algebra::power(algebra::number(g), Rational(-d, 2))),
             Rational(1) / (Rational(4) * g)});
      if (!exponential_sum_nonnegative(std::move(decays))) continue;
    } else {
      // For each g: c + b (d/(2g) - w²/(4g²)) >= 0 for all w.
      const bool good = std::ranges::all_of(by_g, [&](const auto& entry) {
        const auto& [g, c] = entry;
        return c.second.sign() <= 0 &&
               (c.first + c.second * Rational(d) / (Rational(2) * g)).sign() >= 0;
      });
      if (!good) continue;
    }
    return conclude("Gaussian spectral density", e, Claim::kernel,
                    {.with = {given("s", s), given("d", Rational(d))}});
  }
  return std::nullopt;
}

}  // namespace

Rules rule_bochner() {
  return {
      {338,
       Claim::kernel,
       rational_density,
       {{"rational spectral density",
         "Σ c r^m exp(-a r) {1, cos(b r), sin(b r)} for r = |f(x) - f(z)| is a kernel if the "
         "Fourier transform of that function of one number is >= 0.",
         "Bochner 1933; ∫ t^m exp(-at) exp(iθt) dt = m!/(a - iθ)^(m+1) over t > 0, and the sign of "
         "a polynomial by Sturm"}}},
      {339,
       Claim::kernel,
       gaussians,
       {{"Gaussian spectral density",
         "Σ (c + b s) exp(-g s) for s = |x-z|² in dimension d is a kernel if its Fourier transform "
         "is >= 0.",
         "Bochner 1933; that of exp(-g s) is proportional to g^(-d/2) exp(-w²/(4g))"}}},
  };
}

}  // namespace mercer::proof
