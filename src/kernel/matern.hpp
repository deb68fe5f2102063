// The Matérn function of smoothness nu > 0,
//
//   M(t) = 2^(1-nu)/Γ(nu) · t^nu · K_nu(t),   M(0) = 1,
//
// with K_nu the modified Bessel function of the second kind.
#pragma once

namespace mercer::algebra {

double matern_function(double nu, double t);

}  // namespace mercer::algebra
