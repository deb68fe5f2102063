#include "scale/falkon.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "numeric/cholesky.hpp"
#include "scale/solve.hpp"

namespace mercer::scale {

namespace {

std::vector<double> column_norms(const Matrix& M) {
  std::vector<double> sums(M.columns);
  for (std::size_t i = 0; i < M.rows; ++i)
    for (std::size_t c = 0; c < M.columns; ++c) sums[c] += M(i, c) * M(i, c);
  for (double& s : sums) s = std::sqrt(s);
  return sums;
}

std::vector<double> column_products(const Matrix& a, const Matrix& b) {
  std::vector<double> sums(a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t c = 0; c < a.columns; ++c) sums[c] += a(i, c) * b(i, c);
  return sums;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum;
}

void add(Matrix& to, double factor, const Matrix& from) {
  for (std::size_t i = 0; i < to.values.size(); ++i) to.values[i] += factor * from.values[i];
}

}  // namespace

Falkon::Falkon(Crew& crew, Factor& factor, const Basis& basis, const Sample& sample,
               const NystromOptions& options)
    : crew_(crew),
      factor_(factor),
      sample_(sample),
      options_(options),
      how_{options.gram.threads, options.gram.instructions},
      m_(factor.size()),
      w_(crew.width()),
      A_(factor, how_),
      gamma_(Matrix::zeros(m_, w_)),
      b_(w_, 0.0) {
  if (!options.lambda && options.loss == NystromOptions::Loss::squared) A_.keep_sums();
  if (options.loss == NystromOptions::Loss::hinge)
    hinge_ = std::make_unique<Hinge>(crew, factor, A_, basis, options,
                                     [this](double gap) { return tell(gap); });
}

void Falkon::solve(double lambda, double tolerance) {
  converged = false;
  iterations = newton_steps = 0;
  if (options_.loss == NystromOptions::Loss::squared) {
    squared(lambda, tolerance);
  } else if (options_.loss == NystromOptions::Loss::hinge) {
    hinge(lambda, tolerance);
  } else {
    logistic(lambda, tolerance);
  }
}

Matrix Falkon::alpha() const { return from_gamma(gamma_); }

Matrix Falkon::from_gamma(Matrix gamma) const {
  factor_.upper(gamma);
  return gamma;
}

bool Falkon::tell(double now) {
  if (options_.observe && !options_.observe(crew_.passes(), now)) interrupted = true;
  return !interrupted;
}

Falkon::Ended Falkon::gradients(Matrix r, double lambda, const std::vector<double>& targets,
                                std::size_t most, Matrix& gamma, Matrix* image,
                                const std::function<Matrix(const Matrix& alpha)>& product,
                                const std::function<bool(double)>& go_on) {
  Ended ended;
  const auto worst = [&](const Matrix& now) {
    const auto norms = column_norms(now);
    double value = 0;
    for (std::size_t c = 0; c < w_; ++c)
      value = std::max(value, targets[c] > 0 ? norms[c] / targets[c] : 0.0);
    return value;
  };
  a_lower(r);
  ended.residual = worst(r);
  Matrix p = r;
  std::vector<double> rr = column_products(r, r);
  while (ended.residual > 1 && ended.iterations < most) {
    Matrix direction = p;
    a_upper(direction);
    Matrix q = product(from_gamma(direction));
    factor_.lower(q);
    const Matrix raw = image != nullptr ? q : Matrix();
    add(q, lambda, direction);
    a_lower(q);
    const auto pq = column_products(p, q);
    for (std::size_t c = 0; c < w_; ++c) {
      if (rr[c] == 0) continue;  // this column is done
      if (!(pq[c] > 0)) {
        ended.negative = true;
        continue;
      }
      const double step = rr[c] / pq[c];
      for (std::size_t i = 0; i < m_; ++i) {
        gamma(i, c) += step * direction(i, c);
        r(i, c) -= step * q(i, c);
        if (image != nullptr) (*image)(i, c) += step * raw(i, c);
      }
    }
    const auto next = column_products(r, r);
    for (std::size_t c = 0; c < w_; ++c) {
      const double beta = rr[c] > 0 ? next[c] / rr[c] : 0;
      for (std::size_t i = 0; i < m_; ++i) p(i, c) = r(i, c) + beta * p(i, c);
    }
    rr = next;
    ++ended.iterations;
    ended.residual = worst(r);
    if (!go_on(ended.residual) || ended.negative) break;
  }
  return ended;
}

// The answer of the sample alone: the system that A is the factor of, with its own right-hand side.
Matrix Falkon::sampled_answer() const {
  Matrix gamma = A_.right();
  a_lower(gamma);
  a_upper(gamma);
  return gamma;
}

// One pass, from γ: the right-hand side, and what γ leaves of it.
void Falkon::begin(const Matrix& gamma) {
  const auto s = crew_.pass(Crew::Pass::start, from_gamma(gamma));
  Matrix left = Matrix::zeros(m_, w_);
  known_ = Known{Matrix::zeros(m_, w_), {}, s.tallies[1]};
  for (std::size_t i = 0; i < m_; ++i)
    for (std::size_t c = 0; c < w_; ++c) {
      left(i, c) = s.product(i, c);
      known_->right(i, c) = s.product(i, w_ + c);
    }
  factor_.lower(left);
  factor_.lower(known_->right);
  known_->image = known_->right;
  add(known_->image, -1, left);
}

void Falkon::squared(double lambda, double tolerance) {
  prepare(sample_.D, lambda);
  const auto norms = [&](Matrix r) {
    a_lower(r);
    return column_norms(r);
  };
  const auto left = [&] {
    Matrix r = known_->right;
    add(r, -1, known_->image);
    add(r, -lambda, gamma_);
    return r;
  };
  if (!known_) {
    const bool warm = std::ranges::any_of(gamma_.values, [](double v) { return v != 0; });
    if (!warm && A_.right().rows > 0) gamma_ = sampled_answer();
    begin(gamma_);
  }
  // Targets are measured by the right-hand side, whatever the start.
  std::vector<double> targets = norms(known_->right);
  const auto at_start = norms(left());
  for (std::size_t c = 0; c < w_; ++c) {
    // A sample may be as wrong as it likes: 0 is better then.
    if (at_start[c] > targets[c])
      for (std::size_t i = 0; i < m_; ++i) gamma_(i, c) = known_->image(i, c) = 0;
    targets[c] *= tolerance;
  }
  const auto worst = [&](const std::vector<double>& now) {
    double value = 0;
    for (std::size_t c = 0; c < w_; ++c)
      value = std::max(value, targets[c] > 0 ? now[c] / targets[c] : 0.0);
    return value;
  };
  // Sums along the way are trusted as far as rounding allows: centres that are nearly dependent
  // enlarge it.
  const bool trusted = tolerance * dependence(options_.gram) > 0.9e-13;
  for (int again = 0; again < 3; ++again) {
    const std::size_t most = options_.iterations - std::min(options_.iterations, iterations);
    const auto ended = gradients(
        left(), lambda, targets, most, gamma_, &known_->image,
        [&](const Matrix& a) { return crew_.pass(Crew::Pass::normal, a).product; },
        [&](double now) { return tell(now * tolerance); });
    iterations += ended.iterations;
    residual = ended.residual * tolerance;
    if (interrupted || ended.iterations == 0 || ended.negative || trusted) break;
    // Started again where rounding has driven the residual away from the true one.
    begin(gamma_);
    const double now = worst(norms(left()));
    residual = now * tolerance;
    if (now <= 2) break;
  }
  converged = residual <= 2 * tolerance;
  residual = std::min(residual, converged ? tolerance : residual);
  // Σ c (y - f)², from the sums; where it is next to nothing, from a pass.
  constexpr double lost = 1e-6;
  loss = known_->squares - 2 * total(column_products(gamma_, known_->right)) +
         total(column_products(gamma_, known_->image));
  if (!interrupted && !(loss > lost * known_->squares))
    loss = crew_.pass(Crew::Pass::residual, from_gamma(gamma_)).loss;
}

void Falkon::hinge(double lambda, double tolerance) {
  const Hinge::End end = hinge_->solve(lambda, tolerance, rough);
  gamma_ = hinge_->gamma();
  b_ = hinge_->offsets();
  converged = end.converged;
  residual = end.residual;
  iterations = end.iterations;
  newton_steps = end.newton_steps;
  factors += end.newton_steps;
  factor_rows += end.rows;
  loss = end.loss;
  primal = end.primal;
  dual = end.dual;
}

void Falkon::logistic(double lambda, double tolerance) {
  // Of Σ c log(1 + exp(-y f)) + λ γ·γ, whose gradient is -(L⁻¹ g - 2λ γ) with g from the pass, and
  // whose second derivative L⁻¹ Kᵀ C H K L⁻ᵀ + 2λ.
  const double price = 2 * lambda;
  const auto value = [&](const Matrix& gamma, Matrix& r, double& sum) {
    const auto s = crew_.pass(Crew::Pass::gradient, from_gamma(gamma));
    r = s.product;
    factor_.lower(r);
    add(r, -price, gamma);
    sum = s.loss;
    return s.loss + lambda * total(column_products(gamma, gamma));
  };
  Matrix r;
  double objective = value(gamma_, r, loss);
  // The gradient is measured by the one at 0, in the metric of the preconditioner there.
  std::vector<double> quarter = sample_.D;
  for (double& d : quarter) d /= 4;
  prepare(quarter, price);
  double start = 0;
  {
    Matrix zero;
    double unused = 0;
    const bool warm = std::ranges::any_of(gamma_.values, [](double v) { return v != 0; });
    if (warm) {
      value(Matrix::zeros(m_, w_), zero, unused);
    } else {
      zero = r;
    }
    a_lower(zero);
    for (const double n : column_norms(zero)) start = std::max(start, n);
  }
  for (newton_steps = 0;; ++newton_steps) {
    // H at the sample, the mean over the columns: a preconditioner for all of them.
    std::vector<double> D = sample_.D;
    const Matrix f = images(gamma_);
    for (std::size_t s = 0; s < D.size(); ++s) {
      double h = 0;
      for (std::size_t c = 0; c < w_; ++c) {
        const double e = std::exp(-std::abs(f(s, c)));
        h += e / ((1 + e) * (1 + e)) / static_cast<double>(w_);
      }
      D[s] *= std::max(h, 1e-6);
    }
    prepare(D, price);
    Matrix scaled = r;
    a_lower(scaled);
    const auto norms = column_norms(scaled);
    residual = start > 0 ? *std::ranges::max_element(norms) / start : 0;
    converged = residual <= tolerance;
    if (converged || newton_steps == options_.newton_steps || !tell(residual)) return;
    // Exact enough for the next step, and more so near the end.
    const double share = std::clamp(std::sqrt(residual), 1e-4, 0.1);
    std::vector<double> targets(w_);
    for (std::size_t c = 0; c < w_; ++c)
      targets[c] = std::max(share * norms[c], 0.1 * tolerance * start);
    Matrix step = Matrix::zeros(m_, w_);
    const Matrix here = from_gamma(gamma_);
    const auto ended = gradients(
        r, price, targets, options_.iterations, step, nullptr,
        [&](const Matrix& a) {
          Matrix both = Matrix::zeros(m_, 2 * w_);
          for (std::size_t i = 0; i < m_; ++i)
            for (std::size_t c = 0; c < w_; ++c) {
              both(i, c) = here(i, c);
              both(i, w_ + c) = a(i, c);
            }
          return crew_.pass(Crew::Pass::hessian, both).product;
        },
        [&](double) { return tell(residual); });
    iterations += ended.iterations;
    if (interrupted) return;
    // The loss is convex: some part of the step is good. r·step is how fast it falls at first.
    const double slope = total(column_products(r, step));
    double part = 1;
    for (int halved = 0;; ++halved, part /= 2) {
      Matrix next = gamma_;
      add(next, part, step);
      Matrix next_r;
      double next_loss = 0;
      const double now = value(next, next_r, next_loss);
      // Near the end rounding is larger than what is won.
      const double rounding = 1e-12 * std::abs(objective);
      if (now <= objective - 1e-4 * part * slope + rounding) {
        gamma_ = std::move(next);
        r = std::move(next_r);
        loss = next_loss;
        objective = now;
        break;
      }
      if (halved == 30) return;  // rounding has the last word
    }
  }
}

Matrix Falkon::images(const Matrix& gamma) const {
  const Matrix a = from_gamma(gamma);
  if (sample_.of_centres()) return factor_.product(a);
  return sample_.basis->product(sample_.points, a, sample_.gram);
}

}  // namespace mercer::scale
