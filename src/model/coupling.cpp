#include "model/coupling.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::model {

Coupling::Coupling(std::size_t classes)
    : r_(Matrix::zeros(classes, classes)), q_(Matrix::zeros(classes, classes)), qp_(classes) {}

void Coupling::set_pairs(std::span<const double> pairs) {
  constexpr double least = 1e-7;
  const std::size_t k = qp_.size();
  std::size_t pair = 0;
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b) {
      r_(a, b) = std::clamp(pairs[pair++], least, 1 - least);
      r_(b, a) = 1 - r_(a, b);
    }
  for (std::size_t a = 0; a < k; ++a) {
    q_(a, a) = 0;
    for (std::size_t b = 0; b < k; ++b) {
      if (b == a) continue;
      q_(a, a) += r_(b, a) * r_(b, a);
      q_(a, b) = -r_(b, a) * r_(a, b);
    }
  }
}

double Coupling::multiply(std::span<const double> p) {
  double pqp = 0;
  for (std::size_t a = 0; a < p.size(); ++a) {
    qp_[a] = 0;
    for (std::size_t b = 0; b < p.size(); ++b) qp_[a] += q_(a, b) * p[b];
    pqp += p[a] * qp_[a];
  }
  return pqp;
}

bool Coupling::solved(double pqp) const {
  const double most = 0.005 / static_cast<double>(qp_.size());
  return std::ranges::all_of(qp_, [&](double v) { return std::abs(v - pqp) < most; });
}

void Coupling::run(std::span<const double> pairs, std::span<double> p) {
  const std::size_t k = p.size();
  set_pairs(pairs);
  if (k == 2) {
    p[0] = r_(0, 1);
    p[1] = r_(1, 0);
    return;
  }
  std::ranges::fill(p, 1 / static_cast<double>(k));
  const std::size_t rounds = std::max<std::size_t>(100, k);
  for (std::size_t round = 0; round < rounds; ++round) {
    double pqp = multiply(p);
    if (solved(pqp)) return;
    for (std::size_t a = 0; a < k; ++a) {
      // p_a moves by `step`, then all are divided by their sum, 1 + step; Qp and pᵀQp follow.
      const double step = (pqp - qp_[a]) / q_(a, a);
      const double sum = 1 + step;
      pqp = (pqp + step * (2 * qp_[a] + step * q_(a, a))) / (sum * sum);
      p[a] += step;
      for (std::size_t b = 0; b < k; ++b) {
        p[b] /= sum;
        qp_[b] = (qp_[b] + step * q_(a, b)) / sum;
      }
    }
  }
}

}  // namespace mercer::model
