// Stationary kernels with a spectral density in closed form.
#include <algorithm>
#include <map>

#include "kernel/form.hpp"
#include "proof/distributed.hpp"
#include "proof/exponential_sum.hpp"
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

std::optional<SpectralTerm> spectral_term(const ProductTerm& term, const Expr& r) {
  SpectralTerm result{term.c, 0, 0, 0, false};
  bool wave = false;
  const Expr& D = r->args[0];
  for (const auto& f : term.factors) {
    if (is_function(f, Function::exp)) {
      const auto [a, rest] = algebra::split_coefficient(f->args[0]);
      if (!algebra::equal(rest, r) || a.sign() >= 0) return std::nullopt;
      result.a += -a;
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
  std::vector<Expr> distances;
  find_distances(e, distances);
  if (distances.size() != 1) return std::nullopt;
  const Expr& r = distances[0];
  const auto parts = distributed(e);
  if (!parts) return std::nullopt;
  std::vector<SpectralTerm> terms;
  Rational constant;
  for (const auto& part : *parts) {
    if (part.factors.empty()) {
      constant += part.c;
      continue;
    }
    const auto term = spectral_term(part, r);
    if (!term) return std::nullopt;
    terms.push_back(*term);
  }
  constexpr std::size_t most = 12;
  if (constant.sign() < 0 || terms.empty() || terms.size() > most) return std::nullopt;
  if (!nonnegative_between(numerator(terms), std::nullopt, std::nullopt)) return std::nullopt;
  return conclude("rational spectral density", e, Claim::kernel,
                  {.with = {given("f(x) - f(z)", r->args[0])}});
}

// ---- Σ c exp(-g s), and p(s) exp(-g s) with polynomials p, for s = |x-z|² in dimension d

// The Fourier transform of Σ p_m s^m exp(-g s) in dimension d over that of exp(-g s), in
// v = w²/(4g): s^m brings m! g^(-m) L_m(v), with the Laguerre polynomials of order d/2 - 1.
Univariate polynomial_density(const Univariate& p, const Rational& g, std::int64_t d) {
  const Rational order = Rational(d, 2) - Rational(1);
  Univariate before{};  // m! L_m / g^m
  Univariate now{Rational(1)};
  Univariate total;
  for (std::size_t m = 0; m < p.size(); ++m) {
    total = add(total, scaled(now, p[m]));
    // (m+1) L_{m+1} = (2m + 1 + order - v) L_m - (m + order) L_{m-1}
    const Rational n(static_cast<std::int64_t>(m));
    const Univariate factor{Rational(2) * n + Rational(1) + order, Rational(-1)};
    Univariate next = add(scaled(multiply(factor, now), Rational(1) / g),
                          scaled(before, -(n + order) * n / (g * g)));
    before = std::move(now);
    now = std::move(next);
  }
  return total;
}

Found gaussians(Prover& prover, const Expr& e) {
  if ((e->op != Op::sum && e->op != Op::product) || !prover.dimension()) return std::nullopt;
  const auto parts = distributed(e);
  if (!parts) return std::nullopt;
  const auto d = static_cast<std::int64_t>(*prover.dimension());
  for (const auto& s : variables_of(e)) {
    if (!algebra::is_squared_distance(s)) continue;
    std::map<Rational, Univariate> by_g;  // g -> the polynomial in s before exp(-g s)
    Rational constant;
    bool all = true;
    for (const auto& [c, factors] : *parts) {
      if (factors.empty()) {
        constant += c;
        continue;
      }
      Rational g;
      std::uint64_t m = 0;
      for (const auto& f : factors) {
        if (is_function(f, Function::exp)) {
          const auto [a, rest] = algebra::split_coefficient(f->args[0]);
          all = all && algebra::equal(rest, s);
          g += -a;
        } else if (const auto n = exponent_of(f, s)) {
          m += *n;
        } else {
          all = false;
        }
      }
      constexpr std::uint64_t highest = 12;
      all = all && g.sign() > 0 && m <= highest;
      if (!all) break;
      auto& p = by_g[g];
      if (p.size() <= m) p.resize(m + 1);
      p[m] += c;
    }
    all = all && constant.sign() >= 0;
    if (!all || by_g.empty()) continue;
    const bool plain =
        std::ranges::all_of(by_g, [](const auto& entry) { return entry.second.size() == 1; });
    if (plain) {
      // c g^(-d/2) exp(-w²/(4g))
      std::vector<Decay> decays;
      decays.reserve(by_g.size());
      for (const auto& [g, c] : by_g)
        decays.push_back({algebra::scale(c[0], algebra::power(algebra::number(g), Rational(-d, 2))),
                          Rational(1) / (Rational(4) * g)});
      if (!exponential_sum_nonnegative(std::move(decays))) continue;
    } else {
      const bool good = std::ranges::all_of(by_g, [&](const auto& entry) {
        return nonnegative_between(polynomial_density(entry.second, entry.first, d), Rational(0),
                                   std::nullopt);
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
         "Σ p(s) exp(-g s) with polynomials p, for s = |x-z|² in dimension d, is a kernel if its "
         "Fourier transform is >= 0.",
         "Bochner 1933; that of exp(-g s) is proportional to g^(-d/2) exp(-w²/(4g)), powers of s "
         "bring Laguerre polynomials of w²/(4g)"}}},
  };
}

}  // namespace mercer::proof
