#include "scale/draws.hpp"

#include <cmath>

namespace mercer::scale {

double Draws::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  // Marsaglia's polar method.
  double u = 0;
  double v = 0;
  double s = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double scale = std::sqrt(-2 * std::log(s) / s);
  spare_ = v * scale;
  has_spare_ = true;
  return u * scale;
}

double Draws::gamma(double shape) {
  if (shape < 1) {
    double u = 0;
    while (u == 0) u = uniform();
    return gamma(shape + 1) * std::pow(u, 1 / shape);
  }
  // Marsaglia and Tsang, 2000.
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    const double u = 1 - uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

std::size_t Draws::poisson(double mean) {
  // In pieces small enough for exp(-mean): a sum of Poisson numbers is one.
  constexpr double most = 30;
  std::size_t count = 0;
  while (mean > most) {
    count += poisson(most);
    mean -= most;
  }
  const double end = std::exp(-mean);
  double product = uniform();
  while (product > end) {
    ++count;
    product *= uniform();
  }
  return count;
}

}  // namespace mercer::scale
