#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gradient_descent.hpp>
#include <numeric>

#include "base/random.hpp"
#include "base/text.hpp"
#include "learn/eigenpro.hpp"
#include "learn/lanczos.hpp"
#include "learn/targets.hpp"

namespace mercer {

namespace {

void check_options(const GradientDescentOptions& o) {
  if (o.passes == 0) throw Error("gradient descent needs at least one pass");
  if (o.step && (!(*o.step > 0) || !std::isfinite(*o.step)))
    throw Error("the step of gradient descent is a number > 0");
  if (!(o.momentum >= 0 && o.momentum < 1)) throw Error("momentum is a number in [0, 1)");
  if (!(o.held_out >= 0 && o.held_out < 1))
    throw Error("the share that is held out is a number in [0, 1)");
  if (!(o.tolerance >= 0)) throw Error("the tolerance is a number >= 0");
}

// What both forms share: when to stop, what to keep, what to say.
class Descent {
 public:
  Descent(std::size_t n, const Matrix& y, const GradientDescentOptions& options)
      : y_(y), options_(options) {
    learn::check_targets(n, y);
    learn::check_weights(n, options.weights);
    check_options(options);
    RandomNumbers random(options.seed);
    held_ = random.sample(n, static_cast<std::size_t>(options.held_out * static_cast<double>(n)));
    if (options.held_out > 0 && held_.empty())
      throw Error("of " + std::to_string(n) + " examples a share of " + shortest(options.held_out) +
                  " is none: hold out more, or nothing (0)");
    std::ranges::set_difference(random.sample(n, n), held_, std::back_inserter(train_));
    if (train_.empty()) throw Error("all examples are held out: nothing to learn from");
    result_.initial_loss = loss_of(train_, [&](std::size_t i, std::size_t c) { return y(i, c); });
  }

  [[nodiscard]] const std::vector<std::size_t>& train() const { return train_; }
  [[nodiscard]] const std::vector<std::size_t>& held() const { return held_; }
  [[nodiscard]] double weight(std::size_t i) const {
    return options_.weights.empty() ? 1.0 : options_.weights[i];
  }

  // s for steps with `batch` of the n examples: below 1/λmax, and for a few of them below
  // 1/(max k(x,x) + (batch-1) λmax/n) (Ma, Bassily and Belkin, 2018).
  void set_step(double lambda_max, double diagonal, std::size_t batch) {
    result_.lambda_max = lambda_max;
    result_.batch = batch;
    const auto n = static_cast<double>(train_.size());
    const auto b = static_cast<double>(batch);
    const double bound = batch == train_.size() ? lambda_max : diagonal + (b - 1) * lambda_max / n;
    result_.step = options_.step.value_or(bound > 0 ? share / bound : 1.0);
  }

  // f: the scores of all examples under `now`. Returns whether to go on.
  bool end_pass(const std::vector<double>& f, const Matrix& now) {
    const auto error = [&](std::size_t i, std::size_t c) {
      return f[i * y_.columns + c] - y_(i, c);
    };
    GradientPass pass;
    pass.pass = result_.passes.size() + 1;
    pass.loss = loss_of(train_, error);
    if (!held_.empty()) {
      double total = 0;
      for (const std::size_t i : held_) total += weight(i);
      pass.held_out = total > 0 ? loss_of(held_, error) / total : 0;
    }
    result_.passes.push_back(pass);
    if (!std::isfinite(pass.loss) || pass.loss > 1e6 * (result_.initial_loss + 1e-300)) {
      result_.end = GradientDescent::End::diverged;
      return false;
    }
    const bool best = !pass.held_out || !best_held_out_ || *pass.held_out < *best_held_out_;
    if (best) {
      best_ = now;
      best_held_out_ = pass.held_out;
      best_pass_ = pass.pass;
    }
    if (options_.observe && !options_.observe(pass)) {
      result_.end = GradientDescent::End::interrupted;
      return false;
    }
    if (pass.held_out && pass.pass - best_pass_ >= options_.patience) {
      result_.end = GradientDescent::End::early_stopped;
      return false;
    }
    const double before = result_.passes.size() > 1 ? result_.passes[result_.passes.size() - 2].loss
                                                    : result_.initial_loss;
    if (pass.loss <= before && before - pass.loss <= options_.tolerance * before) {
      result_.end = GradientDescent::End::converged;
      return false;
    }
    return pass.pass < options_.passes;
  }

  GradientDescent finish(bool explicit_form) {
    (explicit_form ? result_.w : result_.alpha) = std::move(best_);
    result_.message = message();
    return std::move(result_);
  }

  GradientDescent& result() { return result_; }

 private:
  static constexpr double share = 0.9;

  template <class Error>
  double loss_of(const std::vector<std::size_t>& rows, const Error& error) const {
    double loss = 0;
    for (const std::size_t i : rows)
      for (std::size_t c = 0; c < y_.columns; ++c) loss += weight(i) * error(i, c) * error(i, c);
    return loss;
  }

  [[nodiscard]] std::string message() const {
    using End = GradientDescent::End;
    const auto& r = result_;
    const std::size_t n = r.passes.size();
    switch (r.end) {
      case End::converged:
        return fmt::format("the loss hardly falls any more after pass {}", n) +
               (options_.step && r.step < 0.01 * bound_on_step()
                    ? fmt::format(": the step {:.4g} is small, up to {:.4g} the loss falls", r.step,
                                  bound_on_step())
                    : "");
      case End::early_stopped:
        return fmt::format("least loss on the held-out part after pass {} of {}", best_pass_, n);
      case End::interrupted:
        return fmt::format("interrupted after pass {}", n);
      case End::diverged:
        return options_.step ? fmt::format(
                                   "diverged: the step {:.4g} is too large, below {:.4g} the loss "
                                   "falls; leave it out to have it chosen",
                                   r.step, bound_on_step())
                             : fmt::format(
                                   "diverged in pass {}: use less momentum, or give a step below "
                                   "{:.4g}",
                                   n, r.step);
      case End::passes:
        break;
    }
    return counted(n, "pass", "passes") + ", as many as allowed";
  }

  [[nodiscard]] double bound_on_step() const { return 1 / result_.lambda_max; }

  const Matrix& y_;
  const GradientDescentOptions& options_;
  std::vector<std::size_t> held_;
  std::vector<std::size_t> train_;
  GradientDescent result_;
  Matrix best_;
  std::optional<double> best_held_out_;
  std::size_t best_pass_ = 0;
};

std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

// The rows of `from` to their places in `to`.
void scatter(std::span<const std::size_t> rows, std::size_t width, const std::vector<double>& from,
             std::vector<double>& to) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    std::copy_n(from.begin() + at(r * width), width, to.begin() + at(rows[r] * width));
}

// λmax of C^½ K C^½ on the training part; a little more than Lanczos says, which is from below.
template <class Apply>
double lambda_max_of(std::size_t n, const Descent& descent, const Apply& apply) {
  std::vector<double> scales(n);
  for (const std::size_t i : descent.train()) scales[i] = std::sqrt(descent.weight(i));
  const auto largest =
      learn::largest_eigenvalue(n, [&](std::span<const double> v, std::span<double> to) {
        std::vector<double> scaled(n);
        for (std::size_t i = 0; i < n; ++i) scaled[i] = scales[i] * v[i];
        apply(scaled, to);
        for (std::size_t i = 0; i < n; ++i) to[i] *= scales[i];
      });
  return largest.value + largest.error;
}

}  // namespace

GradientDescent gradient_descent(const Kernel& k, const Points& x, const Matrix& y,
                                 const GradientDescentOptions& options) {
  const std::size_t n = x.rows();
  const std::size_t width = y.columns;
  Descent descent(n, y, options);
  const Gram K(k, x, options.gram);
  const auto& train = descent.train();
  std::size_t batch = options.batch == 0 ? train.size() : std::min(options.batch, train.size());

  std::optional<learn::EigenPro> eigenpro;
  if (options.eigenvectors > 0) {
    if (!options.weights.empty())
      throw Error(
          "the preconditioner is for examples of equal weight: leave out the weights or "
          "the eigenvectors");
    const std::size_t sample = options.sample > 0
                                   ? options.sample
                                   : std::min<std::size_t>(2 * options.eigenvectors + 1000, 4000);
    eigenpro.emplace(K, train, std::max(sample, options.eigenvectors + 1), options.eigenvectors,
                     options.seed, options.gram.threads);
    descent.result().eigenvectors = eigenpro->eigenvectors();
    // Beyond this size a step with more examples is no longer one.
    if (options.batch == 0 && eigenpro->lambda() > 0)
      batch = std::clamp(static_cast<std::size_t>(static_cast<double>(train.size()) *
                                                  eigenpro->diagonal() / eigenpro->lambda()),
                         std::min<std::size_t>(100, train.size()), train.size());
    descent.set_step(eigenpro->lambda(), eigenpro->diagonal(), batch);
  } else {
    const double lambda = lambda_max_of(
        n, descent, [&](std::span<const double> v, std::span<double> to) { K.apply(v, 1, to); });
    double diagonal = 0;
    if (batch < train.size()) {
      std::vector<double> values(n);
      K.diagonal(values);
      for (const std::size_t i : train)
        diagonal = std::max(diagonal, descent.weight(i) * values[i]);
    }
    descent.set_step(lambda, diagonal, batch);
  }

  const double step = descent.result().step;
  Matrix alpha = Matrix::zeros(n, width);
  Matrix last = Matrix::zeros(n, width);  // the step taken last, for momentum
  std::vector<double> f(n * width);
  std::vector<double> correction(eigenpro ? eigenpro->sample().size() * width : 0);
  std::vector<std::size_t> order = train;
  RandomNumbers random(options.seed + 1);
  // With mini-batches f_i is the score that example i had when its turn came, and the loss a
  // running one: to know the others would take as long as the pass.
  do {
    if (batch < train.size()) random.shuffle(order);
    for (std::size_t begin = 0; begin < order.size(); begin += batch) {
      const std::span<const std::size_t> rows =
          std::span(order).subspan(begin, std::min(batch, order.size() - begin));
      std::vector<double> g(rows.size() * width);
      if (batch < train.size()) {
        K.apply(rows, alpha.values, width, g);
        scatter(rows, width, g, f);
      } else {
        for (std::size_t r = 0; r < rows.size(); ++r)
          std::copy_n(f.begin() + at(rows[r] * width), width, g.begin() + at(r * width));
      }
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < width; ++c)
          g[r * width + c] = 2 * descent.weight(rows[r]) * (g[r * width + c] - y(rows[r], c));
      if (options.momentum > 0) {
        for (double& v : last.values) v *= options.momentum;
      } else {
        std::ranges::fill(last.values, 0.0);
      }
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < width; ++c) last(rows[r], c) -= step * g[r * width + c];
      if (eigenpro) {
        eigenpro->correct(K, rows, g, width, correction);
        const auto& sample = eigenpro->sample();
        for (std::size_t j = 0; j < sample.size(); ++j)
          for (std::size_t c = 0; c < width; ++c)
            last(sample[j], c) += step * correction[j * width + c];
      }
      for (std::size_t i = 0; i < alpha.values.size(); ++i) alpha.values[i] += last.values[i];
      if (options.each_step) options.each_step(alpha);
    }
    if (batch == train.size()) {
      K.apply(alpha.values, width, f);
    } else if (!descent.held().empty()) {
      std::vector<double> held(descent.held().size() * width);
      K.apply(descent.held(), alpha.values, width, held);
      scatter(descent.held(), width, held, f);
    }
  } while (descent.end_pass(f, alpha));
  return descent.finish(false);
}

GradientDescent gradient_descent(const Points& phi, const Matrix& y,
                                 const GradientDescentOptions& options) {
  const std::size_t n = phi.rows();
  const std::size_t width = y.columns;
  const std::size_t features = phi.columns();
  Descent descent(n, y, options);
  if (options.eigenvectors > 0)
    throw Error("the preconditioner is for the kernel form: in explicit features ridge is faster");
  const auto& train = descent.train();
  const std::size_t batch =
      options.batch == 0 ? train.size() : std::min(options.batch, train.size());
  const Matrix points = dense(phi);
  // φ(x_i)·w for one column of w, and Σ g_i φ(x_i).
  const auto score = [&](std::size_t i, const Matrix& w, std::size_t c) {
    double sum = 0;
    for (std::size_t j = 0; j < features; ++j) sum += points(i, j) * w(j, c);
    return sum;
  };
  const double lambda =
      lambda_max_of(n, descent, [&](std::span<const double> v, std::span<double> to) {
        Matrix w = Matrix::zeros(features, 1);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < features; ++j) w(j, 0) += v[i] * points(i, j);
        for (std::size_t i = 0; i < n; ++i) to[i] = score(i, w, 0);
      });
  double diagonal = 0;
  for (const std::size_t i : train) {
    double square = 0;
    for (const double v : points.row(i)) square += v * v;
    diagonal = std::max(diagonal, descent.weight(i) * square);
  }
  descent.set_step(lambda, diagonal, batch);
  const double step = descent.result().step;

  Matrix w = Matrix::zeros(features, width);
  Matrix last = Matrix::zeros(features, width);
  std::vector<double> f(n * width);
  std::vector<std::size_t> order = train;
  RandomNumbers random(options.seed + 1);
  do {
    if (batch < train.size()) random.shuffle(order);
    for (std::size_t begin = 0; begin < order.size(); begin += batch) {
      Matrix gradient = Matrix::zeros(features, width);
      for (std::size_t r = begin; r < std::min(order.size(), begin + batch); ++r) {
        const std::size_t i = order[r];
        for (std::size_t c = 0; c < width; ++c) {
          const double g = 2 * descent.weight(i) * (score(i, w, c) - y(i, c));
          for (std::size_t j = 0; j < features; ++j) gradient(j, c) += g * points(i, j);
        }
      }
      for (std::size_t j = 0; j < last.values.size(); ++j) {
        last.values[j] = options.momentum * last.values[j] - step * gradient.values[j];
        w.values[j] += last.values[j];
      }
      if (options.each_step) options.each_step(w);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < width; ++c) f[i * width + c] = score(i, w, c);
  } while (descent.end_pass(f, w));
  return descent.finish(true);
}

}  // namespace mercer
