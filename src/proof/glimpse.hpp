// A look at a few points, to leave hopeless goals alone.
#pragma once

#include <mercer/domain.hpp>
#include <vector>

#include "kernel/expr.hpp"

namespace mercer::proof {

// A few points of a domain, and Gram matrices in doubles on them. What it says is a matter of
// speed, never part of a proof.
class Glimpse {
 public:
  Glimpse(const Domain& domain, std::uint32_t dimension);

  // Some Σ a_i a_j k(x_i, x_j) is clearly negative; `centred`: for a with Σ a_i = 0.
  [[nodiscard]] bool refutes(const algebra::Expr& e, bool centred) const;

 private:
  std::vector<std::vector<double>> points_;
};

}  // namespace mercer::proof
