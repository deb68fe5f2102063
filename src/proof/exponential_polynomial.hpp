// Σ_j q_j(t) exp(a_j t) with rational a_j and polynomials q_j, in one variable t: the coefficients
// of its power series, all of them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

using algebra::Expr;

class ExponentialPolynomial {
 public:
  // a -> coefficients of q_a, ascending
  using Terms = std::map<Rational, std::vector<Rational>>;

  ExponentialPolynomial(Expr variable, Terms terms)
      : variable_(std::move(variable)), terms_(std::move(terms)) {}

  [[nodiscard]] const Expr& variable() const { return variable_; }

  // k! times the coefficient of t^k.
  [[nodiscard]] Rational coefficient(std::int64_t k) const;

  // Decided exactly: the largest exponent wins from some k on, and before that each is looked at.
  // False also where no bound on that k was found.
  [[nodiscard]] bool all_coefficients_nonnegative() const;

 private:
  [[nodiscard]] bool nonnegative_from(std::int64_t k, bool odd) const;

  Expr variable_;
  Terms terms_;
};

// An expression as such a function of one of its parts; nullopt where it is none, or a polynomial.
std::optional<ExponentialPolynomial> exponential_polynomial(const Expr& e);

}  // namespace mercer::proof
