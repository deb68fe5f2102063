// Is a symmetric rational matrix positive semidefinite? Decided exactly, by LDLᵀ with pivoting.
#pragma once

#include <optional>
#include <vector>

#include "base/rational.hpp"

namespace mercer::proof {

using Matrix = std::vector<std::vector<Rational>>;

struct Definiteness {
  bool semidefinite = false;
  std::size_t rank = 0;
  std::vector<Rational> direction;  // v with vᵀGv < 0 where it is not semidefinite
};

// nullopt where the numbers grow beyond the bound of exact arithmetic.
std::optional<Definiteness> definiteness(const Matrix& G);

}  // namespace mercer::proof
