// Power series with coefficients >= 0, of a kernel: g(k) = Σ a_n kⁿ, and what is left of one that
// is cut.
//
// With ρ = √(k(x,x) k(z,z)), |k(x,z)| <= ρ (Cauchy and Schwarz), and what follows the first N terms
// is at most Σ a_n ρⁿ over those terms; the bounds below are upper bounds of that sum.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernel/expr.hpp"

namespace mercer::feature {

using algebra::Expr;

struct PowerSeries {
  std::string text;  // "exp(t) = Σ t^n/n!"
  // The n-th term, from 0: coefficient(n) * t^exponent(n).
  std::function<Rational(std::uint64_t n)> coefficient;
  std::function<std::uint64_t(std::uint64_t n)> exponent;
  // An upper bound of the terms from the N-th on, for t = ρ.
  std::function<Expr(const Expr& rho, std::uint64_t N)> tail;
  std::string condition;  // on ρ for the series to converge: "< 1"; empty where it always does
};

PowerSeries exponential_series();
PowerSeries cosh_series();
PowerSeries sinh_series();
PowerSeries asin_series();
PowerSeries log_series();                        // -log(1 - t)
PowerSeries binomial_series(const Rational& r);  // (1 - t)^-r for r > 0

}  // namespace mercer::feature
