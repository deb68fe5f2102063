#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/ridge.hpp>

#include "learn/nystrom.hpp"
#include "learn/ridge_system.hpp"
#include "learn/targets.hpp"
#include "numeric/cholesky.hpp"
#include "numeric/eigen.hpp"

namespace mercer {

namespace {

using learn::RidgeSystem;
using numeric::How;
using numeric::Part;
using numeric::View;

constexpr std::size_t small = 2000;  // a double factor costs nothing worth saving

template <class T>
struct Factor {
  std::size_t n = 0;
  Aligned<T> L;
  How how;

  void solve(std::span<double> r, std::size_t width) const {
    std::vector<T> values(r.size());
    double largest = 0;
    for (const double v : r) largest = std::max(largest, std::abs(v));
    if (largest == 0) return;
    for (std::size_t i = 0; i < r.size(); ++i) values[i] = static_cast<T>(r[i] / largest);
    numeric::solve_cholesky(L.data(), n, n, values.data(), width, width, how);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = largest * static_cast<double>(values[i]);
  }

  // (A⁻¹)_ii = Σ_k (L⁻¹)_ki², some columns of L⁻¹ at a time.
  [[nodiscard]] std::vector<double> inverse_diagonal() const {
    constexpr std::size_t together = 256;
    std::vector<double> diagonal(n);
    for (std::size_t begin = 0; begin < n; begin += together) {
      const std::size_t now = std::min(together, n - begin);
      const std::size_t rest = n - begin;  // above, L⁻¹ is zero
      Aligned<T> columns(rest * now);
      std::fill_n(columns.data(), columns.size(), T(0));
      for (std::size_t j = 0; j < now; ++j) columns[j * now + j] = 1;
      numeric::solve_lower(L.data() + begin * n + begin, rest, n, columns.data(), now, now, how);
      for (std::size_t i = 0; i < rest; ++i)
        for (std::size_t j = 0; j < now; ++j) {
          const auto v = static_cast<double>(columns[i * now + j]);
          diagonal[begin + j] += v * v;
        }
    }
    return diagonal;
  }
};

class Solver {
 public:
  explicit Solver(const RidgeSystem& system)
      : system_(system), options_(system.options()), n_(system.size()) {}

  Ridge run() {
    using Choice = RidgeOptions::Solver;
    switch (options_.solver) {
      case Choice::single_factor:
        if (!with_factor<float>()) not_definite();
        break;
      case Choice::double_factor:
        if (!with_factor<double>()) not_definite();
        break;
      case Choice::gradients:
        with_gradients();
        break;
      case Choice::automatic:
        automatic();
        break;
    }
    if (result_.interrupted)
      result_.message =
          fmt::format("interrupted at a residual of {:.2g}, after {} iteration{}{}{}",
                      result_.residual, result_.iterations, result_.iterations == 1 ? "" : "s",
                      result_.message.empty() ? "" : "; ", result_.message);
    if (!result_.converged && result_.message.empty())
      result_.message = fmt::format(
          "stopped at a residual of {:.2g}, above the tolerance of {:.2g}: a larger lambda is "
          "easier to solve",
          result_.residual, tolerance_);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool fits(std::size_t bytes_per_entry) const {
    return n_ <= options_.memory / bytes_per_entry / std::max<std::size_t>(n_, 1);
  }
  [[nodiscard]] How how() const { return {options_.gram.threads, options_.gram.instructions}; }

  void automatic() {
    if (n_ <= small || options_.gram.precision == GramOptions::Precision::float64) {
      if (fits(sizeof(double))) {
        if (!with_factor<double>()) not_definite();
        return;
      }
    } else if (fits(sizeof(float))) {
      if (with_factor<float>() && result_.converged) return;
      if (result_.interrupted) return;
      // Floats are not enough.
      const std::string why = result_.solver.empty() ? "a float factor does not exist"
                                                     : "a float factor is not exact enough";
      if (fits(sizeof(double))) {
        if (!with_factor<double>()) {
          not_definite();
        } else {
          result_.message += (result_.message.empty() ? "" : "; ") + why;
        }
        return;
      }
      if (!result_.solver.empty()) return;
    }
    with_gradients();
  }

  // Factor, solve, refine. Returns whether there is a factor.
  template <class T>
  bool with_factor() {
    constexpr bool single = sizeof(T) == sizeof(float);
    Factor<T> factor{n_, system_.matrix<T>(options_.lambda), how()};
    if (numeric::cholesky(factor.L.data(), n_, n_, factor.how) != n_) return false;
    tolerance_ = options_.tolerance;
    const Gram K = system_.gram(GramOptions::Precision::float64);
    Matrix beta = system_.right();
    factor.solve(beta.values, system_.width());
    Matrix r;
    result_ = {};
    result_.solver = single ? "float factor, refined" : "double factor";
    result_.residual = system_.residual(K, beta, r);
    bool slow = false;
    for (std::size_t i = 1; result_.residual > tolerance_ && !slow; ++i) {
      factor.solve(r.values, system_.width());
      Matrix next = beta;
      for (std::size_t k = 0; k < next.values.size(); ++k) next.values[k] += r.values[k];
      const double residual = system_.residual(K, next, r);
      slow = !(residual < 0.25 * result_.residual);
      if (!(residual < result_.residual)) break;
      beta = std::move(next);
      result_.residual = residual;
      result_.iterations = i;
      if (interrupted(i, residual)) break;
    }
    if (slow && single && !result_.interrupted && result_.residual > tolerance_ &&
        !(fits(sizeof(double)) && options_.solver == RidgeOptions::Solver::automatic)) {
      const auto more = learn::conjugate_gradients(
          system_, K, [&](std::span<double> v, std::size_t width) { factor.solve(v, width); },
          tolerance_, beta);
      result_.solver = "conjugate gradients with a float factor";
      result_.iterations += more.iterations;
      result_.residual = more.residual;
      result_.interrupted = more.interrupted;
    }
    result_.converged = result_.residual <= tolerance_;
    if (options_.leave_one_out) leave_one_out(factor.inverse_diagonal(), beta);
    result_.alpha = system_.alpha(std::move(beta));
    return true;
  }

  bool interrupted(std::size_t iteration, double residual) {
    if (options_.observe && !options_.observe(iteration, residual)) result_.interrupted = true;
    return result_.interrupted;
  }

  // e_i = β_i / (A⁻¹)_ii is the scaled error √c_i (y_i - f₋ᵢ(x_i)).
  void leave_one_out(const std::vector<double>& inverse, const Matrix& beta) {
    result_.leave_one_out = Matrix::zeros(n_, beta.columns);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < beta.columns; ++c)
        result_.leave_one_out(i, c) =
            system_.scale(i) > 0 ? beta(i, c) / inverse[i] / system_.scale(i) : 0;
  }

  void with_gradients() {
    if (options_.leave_one_out)
      throw Error(fmt::format(
          "leave-one-out errors need the factor of K, which has {} by {} numbers: allow more "
          "memory, or use fewer points",
          n_, n_));
    tolerance_ = std::max(options_.tolerance, 1e-6);
    const Gram K = system_.gram(options_.gram.precision);
    // The preconditioner's n × m floats take a third of the memory at most.
    const std::size_t room = options_.memory / 3 / sizeof(float) / n_;
    const std::size_t landmarks =
        options_.landmarks > 0
            ? options_.landmarks
            : std::min({std::size_t{2000}, std::max<std::size_t>(room, 1), n_ / 4 + 1});
    const learn::NystromPreconditioner preconditioner(
        K, system_.scales(), options_.lambda, landmarks, options_.seed, options_.gram.threads);
    Matrix beta = Matrix::zeros(n_, system_.width());
    const auto done = learn::conjugate_gradients(
        system_, K, [&](std::span<double> r, std::size_t width) { preconditioner.solve(r, width); },
        tolerance_, beta);
    result_ = {};
    result_.solver = fmt::format("conjugate gradients, {} landmarks", preconditioner.landmarks());
    result_.iterations = done.iterations;
    result_.residual = done.residual;
    result_.interrupted = done.interrupted;
    result_.converged = done.residual <= tolerance_;
    result_.positive_definite = !done.negative;
    if (done.negative)
      result_.message =
          "K + λI is not positive definite: k is not a kernel on these points (see `mercer "
          "prove`); the solution is not the one of a ridge regression";
    result_.alpha = system_.alpha(std::move(beta));
  }

  // No factor: which eigenvalue is to blame, and the stationary point all the same.
  void not_definite() {
    if (!fits(2 * sizeof(double))) {
      with_gradients();
      return;
    }
    auto square = system_.matrix<double>(0, true);
    const numeric::Eigen e = numeric::eigen(square.data(), n_, how());
    const double largest = std::max(std::abs(e.values.front()), std::abs(e.values.back()));
    const double rounding =
        static_cast<double>(n_) * std::numeric_limits<double>::epsilon() * largest;
    const std::size_t width = system_.width();
    Matrix projected = Matrix::zeros(n_, width);
    const View<double> U{e.vectors.data(), n_, n_, n_, 1};
    numeric::multiply_add(U, View<double>{system_.right().values.data(), n_, width, width, 1}, 1.0,
                          projected.values.data(), width, Part::all, how());
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double value = e.values[i] + options_.lambda;
      const bool keep = std::abs(value) > rounding;
      dropped += keep ? 0 : 1;
      for (std::size_t c = 0; c < width; ++c) projected(i, c) = keep ? projected(i, c) / value : 0;
    }
    Matrix beta = Matrix::zeros(n_, width);
    numeric::multiply_add(U.transposed(),
                          View<double>{projected.values.data(), n_, width, width, 1}, 1.0,
                          beta.values.data(), width, Part::all, how());
    result_ = {};
    result_.solver = "eigen";
    Matrix r;
    result_.residual = system_.residual(system_.gram(GramOptions::Precision::float64), beta, r);
    result_.converged = result_.residual <= options_.tolerance;
    tolerance_ = options_.tolerance;
    if (e.values.front() < -rounding) {
      result_.positive_definite = false;
      result_.least_eigenvalue = e.values.front();
      result_.message = fmt::format(
          "K has the eigenvalue {:.4g}: k is not a kernel on these points (see `mercer prove`). "
          "The solution makes the loss stationary, not least; a kernel, or lambda above {:.4g}, "
          "would make it least",
          e.values.front(), -e.values.front());
    } else {
      result_.message = fmt::format(
          "lambda = {:.4g} is lost in the rounding of K, whose largest eigenvalue is {:.4g}: of "
          "the solutions, one without the {} directions that are not there",
          options_.lambda, largest, dropped);
    }
    if (options_.leave_one_out) {
      std::vector<double> inverse(n_);
      for (std::size_t i = 0; i < n_; ++i) {
        const double value = e.values[i] + options_.lambda;
        if (std::abs(value) <= rounding) continue;
        for (std::size_t j = 0; j < n_; ++j)
          inverse[j] += e.vectors[i * n_ + j] * e.vectors[i * n_ + j] / value;
      }
      leave_one_out(inverse, beta);
    }
    result_.alpha = system_.alpha(std::move(beta));
  }

  const RidgeSystem& system_;
  const RidgeOptions& options_;
  std::size_t n_;
  double tolerance_ = 0;
  Ridge result_;
};

}  // namespace

Ridge ridge(const Kernel& k, const Points& x, const Matrix& y, const RidgeOptions& options) {
  const RidgeSystem system(k, x, y, options);
  return Solver(system).run();
}

Ridge ridge(const Points& phi, const Matrix& y, const RidgeOptions& options) {
  const std::size_t n = phi.rows();
  const std::size_t d = phi.columns();
  learn::check_targets(n, y);
  learn::check_weights(n, options.weights);
  learn::check_lambda(options.lambda);
  const How how{options.gram.threads, options.gram.instructions};
  Matrix points = dense(phi);
  Matrix right = y;
  if (!options.weights.empty())
    for (std::size_t i = 0; i < n; ++i) {
      const double scale = std::sqrt(options.weights[i]);
      for (std::size_t j = 0; j < d; ++j) points(i, j) *= scale;
      for (std::size_t c = 0; c < y.columns; ++c) right(i, c) *= scale;
    }
  const View<double> F{points.values.data(), n, d, d, 1};
  Factor<double> factor{d, Aligned<double>(d * d), how};
  std::fill_n(factor.L.data(), d * d, 0.0);
  numeric::multiply_add(F.transposed(), F, 1.0, factor.L.data(), d, Part::lower, how);
  for (std::size_t j = 0; j < d; ++j) factor.L[j * d + j] += options.lambda;
  Ridge result;
  result.solver = "double factor";
  if (numeric::cholesky(factor.L.data(), d, d, how) != d)
    throw Error(
        fmt::format("lambda = {:.4g} is lost in the rounding of the features: use a larger "
                    "one, or scale them",
                    options.lambda));
  // Solved and refined once: Φᵀ(y - Φw) - λw.
  const auto residual = [&](const Matrix& w) {
    Matrix errors = right;
    numeric::multiply_add(F, View<double>{w.values.data(), d, y.columns, y.columns, 1}, -1.0,
                          errors.values.data(), y.columns, Part::all, how);
    Matrix r = Matrix::zeros(d, y.columns);
    numeric::multiply_add(F.transposed(),
                          View<double>{errors.values.data(), n, y.columns, y.columns, 1}, 1.0,
                          r.values.data(), y.columns, Part::all, how);
    for (std::size_t i = 0; i < r.values.size(); ++i) r.values[i] -= options.lambda * w.values[i];
    return r;
  };
  const auto size = [](const Matrix& m) {
    double sum = 0;
    for (const double v : m.values) sum += v * v;
    return std::sqrt(sum);
  };
  Matrix w = Matrix::zeros(d, y.columns);
  const double all = size(residual(w));
  for (result.iterations = 0; result.iterations < 3; ++result.iterations) {
    Matrix r = residual(w);
    result.residual = all > 0 ? size(r) / all : 0;
    if (result.residual <= options.tolerance) break;
    factor.solve(r.values, y.columns);
    for (std::size_t i = 0; i < r.values.size(); ++i) w.values[i] += r.values[i];
  }
  result.converged = result.residual <= options.tolerance;
  if (options.leave_one_out) {
    // (y_i - f(x_i)) / (1 - h_i), h_i = φ_iᵀ(ΦᵀΦ + λI)⁻¹φ_i = |L⁻¹φ_i|²
    Aligned<double> turned(d * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) turned[j * n + i] = points(i, j);
    numeric::solve_lower(factor.L.data(), d, d, turned.data(), n, n, how);
    result.leave_one_out = right;
    numeric::multiply_add(F, View<double>{w.values.data(), d, y.columns, y.columns, 1}, -1.0,
                          result.leave_one_out.values.data(), y.columns, Part::all, how);
    for (std::size_t i = 0; i < n; ++i) {
      double h = 0;
      for (std::size_t j = 0; j < d; ++j) h += turned[j * n + i] * turned[j * n + i];
      const double scale = options.weights.empty() ? 1.0 : std::sqrt(options.weights[i]);
      for (std::size_t c = 0; c < y.columns; ++c)
        result.leave_one_out(i, c) = scale > 0 ? result.leave_one_out(i, c) / (1 - h) / scale : 0;
    }
  }
  result.w = std::move(w);
  return result;
}

}  // namespace mercer
