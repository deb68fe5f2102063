// A second, independent reading of the kernel language: text straight to a number.
//
// It follows the specification and shares no code with the library: no simplification, no
// canonical form, every operation as written, in long double. Along with the value it carries a
// bound on what rounding in doubles may do to it, so that a comparison can be strict where the
// expression is well behaved and says nothing where it cancels. User functions, precomputed
// matrices and open parameters are not supported.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plain {

struct Value {
  long double value = 0;
  // Evaluated in doubles, in any reasonable order, the result is within `scale` times a small
  // multiple of 2^-53 of the value.
  long double scale = 0;
  bool exact = true;  // every number and operation up to here is exact in double precision
};

struct Outcome {
  std::optional<Value> value;  // empty where the expression is undefined
  // A part lies so close to the border of its domain, or of the range of a double, that rounding
  // decides: no conclusion may be drawn.
  bool doubtful = false;
  std::string why;  // of an undefined or doubtful one
};

// k(x, z). `names[i]` is the column that coordinate i+1 came from, needed for k["age"]. Throws
// std::invalid_argument for text it cannot read.
Outcome evaluate(std::string_view text, std::span<const double> x, std::span<const double> z,
                 std::span<const std::string> names = {});

// The value alone, for tests that know it is defined; throws std::domain_error where it is not.
long double value(std::string_view text, std::span<const double> x, std::span<const double> z,
                  std::span<const std::string> names = {});

// Matérn: 2^(1-nu)/Γ(nu) t^nu K_nu(t), with the integral K_nu(t) = ∫_0^∞ exp(-t cosh u) cosh(nu u)
// du (DLMF 10.32.9) by the trapezoidal rule, which converges geometrically for this integrand.
long double matern(long double nu, long double t);

}  // namespace plain
