#include "feature/series.hpp"

namespace mercer::feature {

namespace {

using algebra::Function;

Rational whole(std::uint64_t n) { return {static_cast<std::int64_t>(n)}; }

Rational factorial(std::uint64_t n) {
  Rational result = 1;
  for (std::uint64_t i = 2; i <= n; ++i) result *= whole(i);
  return result;
}

// a ρⁿ
Expr term(const Rational& a, const Expr& rho, std::uint64_t n) {
  return scale(a, algebra::power(rho, whole(n)));
}

// 1/(1 - ρᵐ)
Expr geometric(const Expr& rho, std::int64_t m) {
  return algebra::power(algebra::sum({{-1, algebra::power(rho, Rational(m))}}, 1), Rational(-1));
}

std::uint64_t even(std::uint64_t n) { return 2 * n; }
std::uint64_t odd(std::uint64_t n) { return 2 * n + 1; }

}  // namespace

// Σ_{n>=N} ρⁿ/n! <= ρᴺ/N! exp(ρ), since n! >= N! (n-N)!.
PowerSeries exponential_series() {
  const auto a = [](std::uint64_t n) { return Rational(1) / factorial(n); };
  return {.text = "exp(t) = Σ t^n/n!",
          .coefficient = a,
          .exponent = [](std::uint64_t n) { return n; },
          .tail =
              [a](const Expr& rho, std::uint64_t N) {
                return algebra::multiply(term(a(N), rho, N),
                                         algebra::apply_function(Function::exp, rho));
              },
          .condition = ""};
}

// Likewise, with (2N+m)! >= (2N)! m! for even m.
PowerSeries cosh_series() {
  const auto a = [](std::uint64_t n) { return Rational(1) / factorial(even(n)); };
  return {.text = "cosh(t) = Σ t^(2n)/(2n)!",
          .coefficient = a,
          .exponent = even,
          .tail =
              [a](const Expr& rho, std::uint64_t N) {
                return algebra::multiply(term(a(N), rho, even(N)),
                                         algebra::apply_function(Function::cosh, rho));
              },
          .condition = ""};
}

PowerSeries sinh_series() {
  const auto a = [](std::uint64_t n) { return Rational(1) / factorial(odd(n)); };
  return {.text = "sinh(t) = Σ t^(2n+1)/(2n+1)!",
          .coefficient = a,
          .exponent = odd,
          .tail =
              [a](const Expr& rho, std::uint64_t N) {
                return algebra::multiply(term(a(N), rho, odd(N)),
                                         algebra::apply_function(Function::cosh, rho));
              },
          .condition = ""};
}

// The coefficients fall: the tail is at most the geometric series of its first term.
PowerSeries asin_series() {
  const auto a = [](std::uint64_t n) {
    Rational result = 1;
    for (std::uint64_t i = 1; i <= n; ++i) result = result * whole(2 * i - 1) / whole(2 * i);
    return result / whole(odd(n));
  };
  return {.text = "asin(t) = Σ C(2n,n)/4^n t^(2n+1)/(2n+1)",
          .coefficient = a,
          .exponent = odd,
          .tail =
              [a](const Expr& rho, std::uint64_t N) {
                return algebra::multiply(term(a(N), rho, odd(N)), geometric(rho, 2));
              },
          .condition = "< 1"};
}

PowerSeries log_series() {
  const auto a = [](std::uint64_t n) { return Rational(1) / whole(n + 1); };
  return {.text = "-log(1-t) = Σ t^n/n",
          .coefficient = a,
          .exponent = [](std::uint64_t n) { return n + 1; },
          .tail =
              [a](const Expr& rho, std::uint64_t N) {
                return algebra::multiply(term(a(N), rho, N + 1), geometric(rho, 1));
              },
          .condition = "< 1"};
}

// a_n = r (r+1) … (r+n-1)/n!. For r <= 1 they do not rise: at most the geometric series. For r >=
// 1, a_{N+m} <= a_N a_m, since (r+N+j)/(1+N+j) <= (r+j)/(1+j): at most a_N ρᴺ (1 - ρ)^-r.
PowerSeries binomial_series(const Rational& r) {
  const auto a = [r](std::uint64_t n) {
    Rational result = 1;
    for (std::uint64_t i = 1; i <= n; ++i) result = result * (r + whole(i - 1)) / whole(i);
    return result;
  };
  return {.text = r.is_one() ? "1/(1-t) = Σ t^n"
                             : "(1-t)^-" + r.text() + " = Σ C(n+" + r.text() + "-1, n) t^n",
          .coefficient = a,
          .exponent = [](std::uint64_t n) { return n; },
          .tail =
              [a, r](const Expr& rho, std::uint64_t N) {
                const Expr rest = algebra::sum({{-1, rho}}, 1);
                const Rational s = r < Rational(1) ? Rational(1) : r;
                return algebra::multiply(term(a(N), rho, N), algebra::power(rest, -s));
              },
          .condition = "< 1"};
}

}  // namespace mercer::feature
