// Polynomials in one variable with rational coefficients: their sign on an interval, exactly.
#pragma once

#include <optional>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

using Univariate = std::vector<Rational>;  // ascending powers

// p(t) >= 0 for all t between the ends; none: infinite.
bool nonnegative_between(const Univariate& given, const std::optional<Rational>& low,
                         const std::optional<Rational>& high);

// The same with > 0; the ends count where they belong to the interval.
bool positive_between(const Univariate& given, const std::optional<Rational>& low, bool low_open,
                      const std::optional<Rational>& high, bool high_open);

Rational value_at(const Univariate& p, const Rational& t);
Univariate add(const Univariate& p, const Univariate& q);
Univariate multiply(const Univariate& p, const Univariate& q);

// An expression that is such a polynomial in the number x (or z, not both).
std::optional<Univariate> univariate(const algebra::Expr& e);

}  // namespace mercer::proof
