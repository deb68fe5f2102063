// The whole of it, at rank 0 of a crew whose other ranks serve: nystrom, and the same on explicit
// features.
#pragma once

#include <mercer/nystrom.hpp>
#include <mercer/sketch.hpp>
#include <vector>

#include "scale/centres.hpp"
#include "scale/crew.hpp"
#include "scale/factor.hpp"

namespace mercer::scale {

Nystrom nystrom(Crew& crew, const Kernel& k, const NystromOptions& options);

// So many rows for each centre does the preconditioner know, where m is not too large for that: by
// what they and a pass cost for n rows with so many coordinates that are not zero and so many
// columns of labels. It depends on the data alone, not on the machine.
inline constexpr std::size_t most_sampled_centres = 3000;
std::size_t rows_per_centre(double n, double m, double coordinates, double columns,
                            double tolerance);

// A centre is a combination of others where no more than this share of k(c, c) is left of it.
double dependence(const GramOptions& gram);
// Its centres alone, those that are no combinations of others, and K_mm = L Lᵀ of them.
struct ChosenCentres {
  Centres all;
  Factor factor;
  Basis basis;
};
ChosenCentres chosen_centres(Crew& crew, const Kernel& k, const NystromOptions& options);

// Features φ_j(x) = amplitudes_j k(frequencies_j, x): α_j = amplitudes_j w_j, |w|² the price.
Nystrom in_features(Crew& crew, const Kernel& k, const Points& frequencies,
                    const std::vector<double>& amplitudes, const NystromOptions& options);
// In the features of a sketch: α is w, and there are no centres.
Nystrom in_sketch(Crew& crew, const Sketch& sketch, const NystromOptions& options);

}  // namespace mercer::scale
