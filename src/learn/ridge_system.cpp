#include "learn/ridge_system.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <numeric>

#include "learn/targets.hpp"

namespace mercer::learn {

RidgeSystem::RidgeSystem(const Kernel& k, const Points& x, const Matrix& y,
                         const RidgeOptions& options)
    : kernel_(k), x_(x), options_(options), n_(x.rows()), right_(y) {
  check_targets(n_, y);
  check_weights(n_, options.weights);
  check_lambda(options.lambda);
  for (const double w : options.weights) scales_.push_back(std::sqrt(w));
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t c = 0; c < right_.columns; ++c) right_(i, c) *= scale(i);
}

Gram RidgeSystem::gram(GramOptions::Precision precision) const {
  GramOptions how = options_.gram;
  how.precision = precision;
  how.storage = GramOptions::Storage::recomputed;
  return {kernel_, x_, how};
}

template <class T>
Aligned<T> RidgeSystem::matrix(double lambda, bool all) const {
  const Gram K = gram(sizeof(T) == sizeof(float) ? GramOptions::Precision::float32
                                                 : GramOptions::Precision::float64);
  Aligned<T> A(n_ * n_);
  constexpr std::size_t strip = 512;
  for (std::size_t begin = 0; begin < n_; begin += strip) {
    const std::size_t end = std::min(n_, begin + strip);
    K.block(Rows(begin, end), all ? Rows::all() : Rows(0, end), A.data() + begin * n_, n_);
    if (!scales_.empty())
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t j = 0; j < (all ? n_ : end); ++j)
          A[i * n_ + j] =
              static_cast<T>(static_cast<double>(A[i * n_ + j]) * scales_[i] * scales_[j]);
    for (std::size_t i = begin; i < end; ++i)
      A[i * n_ + i] = static_cast<T>(static_cast<double>(A[i * n_ + i]) + lambda);
  }
  return A;
}
template Aligned<float> RidgeSystem::matrix<float>(double, bool) const;
template Aligned<double> RidgeSystem::matrix<double>(double, bool) const;

void RidgeSystem::apply(const Gram& K, std::span<const double> v, std::span<double> to) const {
  const std::size_t c = v.size() / n_;
  if (scales_.empty()) {
    K.apply(v, c, to);
  } else {
    std::vector<double> scaled(v.begin(), v.end());
    for (std::size_t i = 0; i < v.size(); ++i) scaled[i] *= scales_[i / c];
    K.apply(scaled, c, to);
    for (std::size_t i = 0; i < v.size(); ++i) to[i] *= scales_[i / c];
  }
  for (std::size_t i = 0; i < v.size(); ++i) to[i] += options_.lambda * v[i];
}

namespace {

// Column by column: Σ a_i b_i.
std::vector<double> dots(const Matrix& a, const Matrix& b) {
  std::vector<double> sums(a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t c = 0; c < a.columns; ++c) sums[c] += a(i, c) * b(i, c);
  return sums;
}

double worst_share(const Matrix& r, const Matrix& right) {
  const auto above = dots(r, r);
  const auto below = dots(right, right);
  double worst = 0;
  for (std::size_t c = 0; c < above.size(); ++c)
    if (above[c] > 0)
      worst = std::max(worst, std::sqrt(below[c] > 0 ? above[c] / below[c] : above[c]));
  return worst;
}

}  // namespace

double RidgeSystem::residual(const Gram& K, const Matrix& beta, Matrix& r) const {
  r = Matrix::zeros(n_, width());
  apply(K, beta.values, r.values);
  for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i] = right_.values[i] - r.values[i];
  return worst_share(r, right_);
}

Matrix RidgeSystem::alpha(Matrix beta) const {
  if (!scales_.empty())
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < beta.columns; ++c) beta(i, c) *= scales_[i];
  return beta;
}

Gradients conjugate_gradients(
    const RidgeSystem& system, const Gram& K,
    const std::function<void(std::span<double> r, std::size_t width)>& solve, double tolerance,
    Matrix& beta) {
  const std::size_t n = system.size();
  const std::size_t width = system.width();
  Gradients result;
  Matrix r;
  result.residual = system.residual(K, beta, r);
  Matrix z = r;
  solve(z.values, width);
  Matrix p = z;
  auto rz = dots(r, z);
  Matrix Ap = Matrix::zeros(n, width);
  while (result.residual > tolerance && result.iterations < system.options().iterations) {
    system.apply(K, p.values, Ap.values);
    const auto pAp = dots(p, Ap);
    std::vector<double> step(width);
    bool some = false;
    for (std::size_t c = 0; c < width; ++c) {
      if (rz[c] == 0) continue;
      if (!(pAp[c] > 0)) {
        result.negative = true;
        continue;
      }
      step[c] = rz[c] / pAp[c];
      some = true;
    }
    if (!some) break;
    const Matrix before = r;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < width; ++c) {
        beta(i, c) += step[c] * p(i, c);
        r(i, c) -= step[c] * Ap(i, c);
      }
    ++result.iterations;
    result.residual = worst_share(r, system.right());
    if (system.options().observe && !system.options().observe(result.iterations, result.residual)) {
      result.interrupted = true;
      break;
    }
    z = r;
    solve(z.values, width);
    // Polak and Ribière's β: right for a preconditioner that is not quite the same each time.
    const auto next = dots(r, z);
    const auto old = dots(before, z);
    for (std::size_t c = 0; c < width; ++c) {
      const double turn = rz[c] > 0 ? (next[c] - old[c]) / rz[c] : 0;
      for (std::size_t i = 0; i < n; ++i) p(i, c) = z(i, c) + turn * p(i, c);
    }
    rz = next;
  }
  // What was updated all along may have drifted from the truth.
  if (result.iterations > 0) result.residual = system.residual(K, beta, r);
  return result;
}

}  // namespace mercer::learn
