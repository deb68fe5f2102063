// The search for a witness: points and coefficients with Σ a_i a_j k(x_i, x_j) < 0.
//
// Candidates come from doubles and from structured guesses (witness_search/); what is returned has
// been recomputed in rational or ball arithmetic.
#pragma once

#include <functional>
#include <initializer_list>
#include <mercer/domain.hpp>
#include <mercer/proof.hpp>
#include <optional>
#include <vector>

#include "kernel/expr.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

class Refuter {
 public:
  using Clock = Search::Clock;

  // For points of dimension d.
  Refuter(const Expr& e, const Domain& domain, std::uint32_t d, Clock::time_point deadline);

  // Two points with k(x,z) != k(z,x).
  std::optional<Witness> asymmetry();
  // A short witness on simple points, in milliseconds.
  std::optional<Witness> glance();
  // One point; a few simple ones; finite differences at large and small steps.
  std::optional<Witness> quick();
  // The matrix of coefficients of a polynomial has a negative direction.
  std::optional<Witness> polynomial();
  // Smallest eigenvalues of Gram matrices on unit vectors, grids, lattices, moved and random sets.
  std::optional<Witness> thorough();

  // Of the Gram matrices looked at, each scaled to a diagonal of ones.
  [[nodiscard]] std::optional<double> smallest_eigenvalue() const {
    return search_.smallest_eigenvalue();
  }

 private:
  std::optional<Witness> shortest_of(std::initializer_list<Strategy> strategies);

  Expr e_;
  Domain domain_;
  std::uint32_t d_;
  Search search_;
};

// A witness by any of them, the simple ways first; where it is long, the other ways are tried too
// and the shortest is taken. `elsewhere` is asked last.
std::optional<Witness> refute(std::vector<Refuter>& refuters,
                              const std::function<std::optional<Witness>()>& elsewhere);

}  // namespace mercer::proof
