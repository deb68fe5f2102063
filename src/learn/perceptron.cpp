#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/perceptron.hpp>
#include <numeric>

#include "base/random.hpp"
#include "learn/perceptron_space.hpp"
#include "learn/targets.hpp"

namespace mercer {

namespace {

// Visits the examples, finds the mistakes, and keeps count of them; what an update does to the
// scores is the space's matter.
class Trainer {
 public:
  Trainer(const Matrix& y, const PerceptronOptions& options)
      : y_(y), options_(options), random_(options.seed) {
    learn::check_targets(y.rows, y);
    learn::check_signs(y);
    learn::check_weights(y.rows, options.weights);
    if (!(options.margin >= 0) || !std::isfinite(options.margin))
      throw Error("the margin of a perceptron is a number >= 0");
    if (options.passes == 0) throw Error("a perceptron needs at least one pass");
    result_.alpha = Matrix::zeros(y.rows, y.columns);
    late_.resize(y.values.size());
    signed_.resize(y.values.size());
  }

  [[nodiscard]] bool is_mistake(std::size_t i, std::size_t c, double score) const {
    return y_(i, c) * score <= options_.margin && weight(i) > 0;
  }

  Perceptron run(learn::PerceptronSpace& space) {
    std::vector<std::size_t> order(y_.rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    while (result_.passes.size() < options_.passes) {
      if (options_.order == PerceptronOptions::Order::shuffled) random_.shuffle(order);
      PerceptronPass pass = run_pass(space, order);
      result_.passes.push_back(pass);
      const bool go_on = !options_.observe || options_.observe(pass);
      if (pass.mistakes == 0) {
        result_.end = Perceptron::End::converged;
        break;
      }
      if (!go_on) {
        result_.end = Perceptron::End::interrupted;
        break;
      }
    }
    finish(space);
    return std::move(result_);
  }

  void set_radius(double radius) { result_.radius = radius; }

 private:
  [[nodiscard]] double weight(std::size_t i) const {
    return options_.weights.empty() ? 1.0 : options_.weights[i];
  }

  PerceptronPass run_pass(learn::PerceptronSpace& space, const std::vector<std::size_t>& order) {
    PerceptronPass pass{.pass = result_.passes.size() + 1,
                        .mistakes_of = std::vector<std::size_t>(y_.columns)};
    space.start_pass(order);
    for (const std::size_t i : order) {
      ++visits_;
      space.visit();
      // All columns are judged before any is updated: they are perceptrons of their own.
      mistakes_.clear();
      for (std::size_t c = 0; c < y_.columns; ++c)
        if (is_mistake(i, c, space.score(c))) mistakes_.push_back(c);
      if (mistakes_.empty()) continue;
      for (const std::size_t c : mistakes_) {
        result_.alpha(i, c) += weight(i);
        change(space, i, c, weight(i) * y_(i, c));
        ++pass.mistakes_of[c];
      }
      pass.mistakes += mistakes_.size();
      result_.updates += mistakes_.size();
      if (options_.budget > 0) keep_budget(space, i);
    }
    space.end_pass();
    pass.support = support();
    return pass;
  }

  void change(learn::PerceptronSpace& space, std::size_t i, std::size_t c, double delta) {
    signed_[i * y_.columns + c] += delta;
    late_[i * y_.columns + c] += delta * static_cast<double>(visits_ - 1);
    space.update(i, c, delta);
  }

  void keep_budget(learn::PerceptronSpace& space, std::size_t added) {
    if (std::ranges::find(kept_, added) == kept_.end()) kept_.push_back(added);
    if (kept_.size() <= options_.budget) return;
    const auto out = random_.below(kept_.size() - 1);  // not the new one, which is the last
    const std::size_t i = kept_[out];
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(out));
    for (std::size_t c = 0; c < y_.columns; ++c) {
      const double coefficient = signed_[i * y_.columns + c];
      if (coefficient == 0) continue;
      result_.alpha(i, c) = 0;
      change(space, i, c, -coefficient);
      signed_[i * y_.columns + c] = 0;
    }
  }

  [[nodiscard]] std::size_t support() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < y_.rows; ++i)
      for (std::size_t c = 0; c < y_.columns; ++c)
        if (result_.alpha(i, c) != 0) {
          ++count;
          break;
        }
    return count;
  }

  void finish(const learn::PerceptronSpace& space) {
    for (std::size_t c = 0; c < y_.columns; ++c) {
      double squared_norm = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < y_.rows; ++i) {
        const double f = space.score_of(i, c);
        squared_norm += signed_[i * y_.columns + c] * f;
        if (weight(i) > 0) least = std::min(least, y_(i, c) * f);
      }
      const double margin = squared_norm > 0 ? least / std::sqrt(squared_norm) : 0;
      result_.margins.push_back(margin);
      // The theorem is about the plain perceptron.
      const bool plain = options_.margin == 0 && options_.budget == 0 && options_.weights.empty();
      result_.bounds.emplace_back();
      if (margin > 0 && plain)
        result_.bounds.back() = (result_.radius / margin) * (result_.radius / margin);
    }
    result_.coefficients = Matrix{y_.rows, y_.columns, signed_, {}};
    if (options_.averaged)
      for (std::size_t k = 0; k < late_.size(); ++k)
        result_.coefficients.values[k] -= late_[k] / static_cast<double>(visits_);
    const auto& last = result_.passes.back();
    const std::string mistakes =
        fmt::format("{} mistake{}", last.mistakes, last.mistakes == 1 ? "" : "s");
    result_.message =
        result_.end == Perceptron::End::converged
            ? fmt::format("no mistake in pass {}: all examples are on their side", last.pass)
        : result_.end == Perceptron::End::interrupted
            ? fmt::format("interrupted after pass {} with {}", last.pass, mistakes)
            : fmt::format("{} in pass {}, the last one allowed", mistakes, last.pass);
  }

  const Matrix& y_;
  const PerceptronOptions& options_;
  RandomNumbers random_;
  Perceptron result_;
  std::vector<double> signed_;  // α y
  std::vector<double> late_;    // Σ of changes, each times the visits before it
  std::size_t visits_ = 0;
  std::vector<std::size_t> mistakes_;
  std::vector<std::size_t> kept_;  // with a budget: the support points, in the order they came
};

}  // namespace

Perceptron perceptron(const Gram& K, const Matrix& y, const PerceptronOptions& options) {
  learn::check_square(K);
  learn::check_targets(K.rows(), y);
  Trainer trainer(y, options);
  std::vector<double> diagonal(K.rows());
  K.diagonal(diagonal);
  trainer.set_radius(std::sqrt(std::max(0.0, *std::ranges::max_element(diagonal))));
  const auto space = learn::gram_space(
      K, y.columns, options.threads,
      [&](std::size_t i, std::size_t c, double score) { return trainer.is_mistake(i, c, score); });
  return trainer.run(*space);
}

Perceptron perceptron(const Points& phi, const Matrix& y, const PerceptronOptions& options) {
  learn::check_targets(phi.rows(), y);
  Trainer trainer(y, options);
  double largest = 0;
  std::vector<double> point(phi.columns());
  for (std::size_t i = 0; i < phi.rows(); ++i) {
    phi.row(i, std::span(point));
    largest = std::max(largest, std::inner_product(point.begin(), point.end(), point.begin(), 0.0));
  }
  trainer.set_radius(std::sqrt(largest));
  Matrix w = Matrix::zeros(phi.columns(), y.columns);
  const auto space = learn::feature_space(phi, w);
  Perceptron result = trainer.run(*space);
  result.w = std::move(w);
  if (options.averaged) {
    std::ranges::fill(result.w.values, 0.0);
    for (std::size_t i = 0; i < phi.rows(); ++i) {
      phi.row(i, std::span(point));
      for (std::size_t c = 0; c < y.columns; ++c)
        for (std::size_t j = 0; j < point.size(); ++j)
          result.w(j, c) += result.coefficients(i, c) * point[j];
    }
  }
  return result;
}

Perceptron learn::perceptron_on(const FeatureRows& phi, const Matrix& y,
                                const PerceptronOptions& options) {
  learn::check_targets(phi.rows(), y);
  Trainer trainer(y, options);
  // Once over all of them, some at a time.
  const auto each = [&](const std::function<void(std::size_t, std::span<const double>)>& visit) {
    constexpr std::size_t together = 1024;
    std::vector<std::size_t> some;
    for (std::size_t begin = 0; begin < phi.rows(); begin += together) {
      some.resize(std::min(together, phi.rows() - begin));
      std::iota(some.begin(), some.end(), begin);
      const Matrix block = phi.of(some);
      for (std::size_t i = 0; i < some.size(); ++i) visit(begin + i, block.row(i));
    }
  };
  double largest = 0;
  each([&](std::size_t, std::span<const double> p) {
    largest = std::max(largest, std::inner_product(p.begin(), p.end(), p.begin(), 0.0));
  });
  trainer.set_radius(std::sqrt(largest));
  Matrix w = Matrix::zeros(phi.features(), y.columns);
  const auto space = feature_space(phi, w);
  Perceptron result = trainer.run(*space);
  result.w = std::move(w);
  if (!options.averaged) return result;
  std::ranges::fill(result.w.values, 0.0);
  each([&](std::size_t i, std::span<const double> p) {
    for (std::size_t c = 0; c < y.columns; ++c)
      for (std::size_t j = 0; j < p.size(); ++j) result.w(j, c) += result.coefficients(i, c) * p[j];
  });
  return result;
}

}  // namespace mercer
