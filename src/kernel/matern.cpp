#include "kernel/matern.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace mercer::algebra {

namespace {

namespace policies = boost::math::policies;

using Quiet = policies::policy<policies::overflow_error<policies::ignore_error>,
                               policies::underflow_error<policies::ignore_error>,
                               policies::denorm_error<policies::ignore_error>>;

// For large nu the powers and K_nu leave the range of any float, while M stays in (0, 1]. The
// uniform expansion of K_nu(nu z) (DLMF 10.41.4) and Stirling's series for Γ(nu) cancel
// analytically to
//
//   M(nu z) = (1+z²)^(-1/4) · exp(nu·(log((1+s)/2) - (s-1))) · Σ (-1)^k u_k(1/s) nu^-k / Stirling
//
// with s = sqrt(1+z²). The first term left out is below 1e-14 for nu >= 300.
double uniform_expansion(double nu, double t) {
  const double z = t / nu;
  const double s = std::hypot(1.0, z);
  const double excess = z * z / (1 + s);  // s - 1 without cancellation
  const double p = 1 / s;
  const double q = p * p;
  const double u1 = p * (3 - 5 * q) / 24;
  const double u2 = q * (81 + q * (-462 + q * 385)) / 1152;
  const double u3 = p * q * (30375 + q * (-369603 + q * (765765 - q * 425425))) / 414720;
  const double u4 =
      q * q * (4465125 + q * (-94121676 + q * (349922430 + q * (-446185740 + q * 185910725)))) /
      39813120;
  const double w = 1 / nu;
  const double series = 1 + w * (-u1 + w * (u2 + w * (-u3 + w * u4)));
  const double stirling =
      1 + w * (1.0 / 12 + w * (1.0 / 288 + w * (-139.0 / 51840 + w * (-571.0 / 2488320))));
  const double exponent = nu * (std::log1p(excess / 2) - excess) - 0.25 * std::log1p(z * z);
  return std::exp(exponent) * series / stirling;
}

}  // namespace

double matern_function(double nu, double t) {
  if (t == 0) return 1;
  constexpr double large = 300;
  if (nu >= large) return uniform_expansion(nu, t);
  // (std::lgamma would write a global sign: not from several threads.)
  // In logarithms of long doubles, whose range holds K_nu for nu < 300 down to t = 1e-14,
  // where M is 1 to all digits.
  const auto order = static_cast<long double>(nu);
  const auto at = static_cast<long double>(t);
  const long double k = boost::math::cyl_bessel_k(order, at, Quiet());
  if (k == 0) return 0;
  if (!std::isfinite(k)) return 1;
  const long double log_value = (1 - order) * std::log(2.0L) - boost::math::lgamma(order, Quiet()) +
                                order * std::log(at) + std::log(k);
  return static_cast<double>(std::min(1.0L, std::exp(log_value)));
}

}  // namespace mercer::algebra
