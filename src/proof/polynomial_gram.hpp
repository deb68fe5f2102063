// A polynomial kernel as m(x)ᵀ G m(z).
#pragma once

#include <cstdint>
#include <map>
#include <mercer/domain.hpp>
#include <optional>
#include <vector>

#include "kernel/expr.hpp"
#include "kernel/multiply_out.hpp"
#include "kernel/polynomial.hpp"
#include "proof/definite.hpp"

namespace mercer::proof {

using algebra::Expr;
using algebra::multiplied_out;

struct PolynomialGram {
  std::vector<algebra::Monomial> monomials;
  Matrix G;
};

// In the dimension given, or in the least one where the expression does not depend on it, with
// monomials that are independent on the domain: on the sphere x_d² is 1 - x_1² - …, on a finite set
// a high power is a combination of lower ones. Then k is a kernel exactly if G is positive
// semidefinite. nullopt where it is not a polynomial, not symmetric, or too large.
std::optional<PolynomialGram> polynomial_gram(const Expr& e, std::optional<std::uint32_t> dimension,
                                              const Domain& domain);

}  // namespace mercer::proof
