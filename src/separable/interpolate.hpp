// A separator by interpolation: Σ_j c_j k(x_j, x_i) = y_i for all i, where K can be inverted.
//
// Distinct points under a strictly positive definite kernel (rbf, laplacian, …) are always
// separable, but K may be so close to singular that doubles do not see it. In ball arithmetic of
// enough bits the system has a proved solution, and the values of the rule, rounded to decimals,
// are proved again.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "separable/certify.hpp"
#include "separable/features.hpp"

namespace mercer::separability {

struct Interpolation {
  std::vector<std::size_t> rows;
  Certified certified;
};

// With distinct rows to build it from. nullopt where K is singular there, too large, or the time
// does not suffice.
std::optional<Interpolation> interpolate(const KernelFeatures& features, std::span<const int> y,
                                         const std::vector<std::size_t>& rows,
                                         Clock::time_point deadline);

}  // namespace mercer::separability
