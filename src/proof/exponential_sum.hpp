// Σ c_j exp(-A_j u): is it >= 0 for all u >= 0?
#pragma once

#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

struct Decay {
  algebra::Expr c;  // constant
  Rational A;
};

// True only where it is; false also where it could not be told.
bool exponential_sum_nonnegative(std::vector<Decay> terms);

}  // namespace mercer::proof
