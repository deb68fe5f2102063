// Ways of looking for a witness, one file each. All are heuristic: what they return has been
// certified, and that they return nothing says nothing.
#pragma once

#include <optional>

#include "proof/witness_search/search.hpp"

namespace mercer::proof {

using Strategy = std::optional<Witness> (*)(Search&);

// One point with k(x,x) < 0: simple ones, large and small ones, and towards the ends of the domain.
std::optional<Witness> single_points(Search& search);
// Two to five points out of some fifty simple ones, the shortest set first.
std::optional<Witness> simple_sets(Search& search);
// Differences of order m along a line, at large and at small steps: they see the derivatives of k
// on the diagonal. Of f(x·z), they see the m-th coefficient of the series.
std::optional<Witness> differences(Search& search);
// The matrix of coefficients of a polynomial has a negative direction.
std::optional<Witness> polynomial_direction(Search& search);
// 0 and the multiples ±s of the unit vectors.
std::optional<Witness> unit_vectors(Search& search);
// Equally spaced points in one, two and three dimensions; many short vectors on the sphere.
std::optional<Witness> grids(Search& search);
// For stationary kernels on a line: many points far apart with all a = 1, where k has a negative
// limit; and a wave at a frequency at which the discrete spectrum Σ k(jD) cos(jDw) is negative.
std::optional<Witness> far_points(Search& search);
std::optional<Witness> negative_frequency(Search& search);
// Small sets moved downhill along their smallest eigenvalue, from many starts.
std::optional<Witness> descent(Search& search);
// Random sets of simple points.
std::optional<Witness> random_sets(Search& search);

// For statements about every dimension: unit vectors in a dimension beyond `above`, as large as
// needed.
std::optional<Witness> many_dimensions(const Expr& e, const Domain& domain, std::uint32_t above,
                                       Search::Clock::time_point deadline);

}  // namespace mercer::proof
