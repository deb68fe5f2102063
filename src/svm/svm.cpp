#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <mercer/svm.hpp>
#include <numeric>

#include "svm/machine.hpp"
#include "svm/quadratic.hpp"

namespace mercer {

namespace {

using support::Quadratic;
using support::Solution;
using Problem = SvmOptions::Problem;

constexpr double infinite = std::numeric_limits<double>::infinity();

bool has_signs(Problem p) {
  return p == Problem::classification || p == Problem::hard_margin ||
         p == Problem::nu_classification;
}

bool has_nu(Problem p) {
  return p == Problem::nu_classification || p == Problem::nu_regression || p == Problem::one_class;
}

void check(const Gram& K, std::span<const double> y, const SvmOptions& o) {
  if (K.rows() != K.columns()) throw Error("a support vector machine needs a square Gram matrix");
  const std::size_t n = K.rows();
  if (n == 0) throw Error("there are no points to learn from");
  if (o.problem != Problem::one_class && y.size() != n)
    throw Error(fmt::format("{} labels for {} points", y.size(), n));
  for (const double v : y) {
    if (!std::isfinite(v)) throw Error("labels must be finite numbers");
    if (has_signs(o.problem) && v != 1 && v != -1) throw Error("labels must be +1 or -1");
  }
  if (!o.weights.empty() && o.weights.size() != n)
    throw Error(fmt::format("{} weights for {} points", o.weights.size(), n));
  for (const double w : o.weights)
    if (!(w >= 0) || !std::isfinite(w)) throw Error("weights must be finite and not negative");
  if (!(o.C > 0) || !std::isfinite(o.C)) throw Error("C must be a number > 0");
  if (has_nu(o.problem) && !(o.nu > 0 && o.nu <= 1)) throw Error("nu must be in (0, 1]");
  if (!(o.epsilon >= 0) || !std::isfinite(o.epsilon)) throw Error("epsilon must be a number >= 0");
  if (!(o.seconds >= 0)) throw Error("the time must be a number of seconds >= 0");
  if (!(o.tolerance > 0) || !std::isfinite(o.tolerance))
    throw Error("the tolerance must be a number > 0");
  if (!o.offset && o.problem != Problem::classification && o.problem != Problem::hard_margin)
    throw Error("only classification can do without an offset");
}

// The problem as the solver sees it, and what its answer means.
class Machine {
 public:
  Machine(const Gram& K, std::span<const double> y, const SvmOptions& options,
          const support::Known& known, const support::Finer& finer)
      : K_(K), y_(y), o_(options), known_(known), finer_(finer) {
    problem_.keeps_sum = o_.offset;
    problem_.reserve(o_.problem == Problem::regression || o_.problem == Problem::nu_regression
                         ? 2 * K.rows()
                         : K.rows());
    for (std::size_t i = 0; i < K.rows(); ++i) {
      const double w = o_.weights.empty() ? 1.0 : o_.weights[i];
      if (w > 0) add(i, w);
    }
    if (problem_.size() == 0) throw Error("all weights are 0");
    if (has_signs(o_.problem)) {
      const bool positive = std::ranges::any_of(problem_.upper, [](double u) { return u > 0; });
      const bool negative = std::ranges::any_of(problem_.lower, [](double l) { return l < 0; });
      if (!(positive && negative)) throw Error("all examples are of one class");
    }
    if (has_nu(o_.problem)) start_with_nu();
  }

  Svm run(const support::Continuation& continuation) {
    support::SolveOptions how;
    how.continuation = continuation;
    how.tolerance = o_.tolerance;
    how.most_moves = o_.moves;
    how.working_set = o_.working_set;
    how.shrinking = o_.shrinking;
    how.memory = o_.memory;
    how.threads = o_.threads;
    how.instructions = o_.instructions;
    how.observe = [&](const support::Progress& p) { return observe(p); };
    const Solution s = support::solve(K_, problem_, how, known_, finer_);
    read(s);
    return std::move(result_);
  }

 private:
  void variable(std::size_t i, double linear, double lower, double upper, std::uint8_t group) {
    problem_.place.push_back(i);
    problem_.linear.push_back(linear);
    problem_.lower.push_back(lower);
    problem_.upper.push_back(upper);
    problem_.group.push_back(group);
  }

  void add(std::size_t i, double weight) {
    switch (o_.problem) {
      case Problem::classification:
      case Problem::hard_margin: {
        const double most = o_.problem == Problem::hard_margin ? infinite : o_.C * weight;
        variable(i, -y_[i], y_[i] > 0 ? 0 : -most, y_[i] > 0 ? most : 0, 0);
        return;
      }
      case Problem::nu_classification:
        variable(i, 0, y_[i] > 0 ? 0 : -weight, y_[i] > 0 ? weight : 0, y_[i] > 0 ? 0 : 1);
        return;
      case Problem::regression:
        variable(i, o_.epsilon - y_[i], 0, o_.C * weight, 0);
        variable(i, -o_.epsilon - y_[i], -o_.C * weight, 0, 0);
        return;
      case Problem::nu_regression:
        variable(i, -y_[i], 0, o_.C * weight, 0);
        variable(i, -y_[i], -o_.C * weight, 0, 1);
        return;
      case Problem::one_class:
        variable(i, 0, 0, weight, 0);
        return;
    }
  }

  // The sum of β in each group is given: variables are filled up in their order.
  void start_with_nu() {
    double total = 0;
    std::vector<double> room(2);
    for (std::size_t v = 0; v < problem_.size(); ++v) {
      const double most = problem_.upper[v] - problem_.lower[v];
      room[problem_.group[v]] += most;
      total += most;
    }
    // Of ν-regression each example has two variables.
    const double share = o_.problem == Problem::one_class ? 1.0 : 0.5;
    const double all = o_.problem == Problem::nu_regression ? total / 2 : total;
    sum_ = o_.nu * all * share;
    if (o_.problem == Problem::nu_classification && sum_ > std::min(room[0], room[1])) {
      const double most = 2 * std::min(room[0], room[1]) / all;
      throw Error(fmt::format("nu = {} is too large for classes of these sizes: at most {:.4g}",
                              o_.nu, most));
    }
    problem_.start.assign(problem_.size(), 0);
    std::vector<double> left{sum_, sum_};
    for (std::size_t v = 0; v < problem_.size(); ++v) {
      double& rest = left[problem_.group[v]];
      const double most = problem_.upper[v] - problem_.lower[v];
      const double take = std::min(rest, most);
      problem_.start[v] = problem_.upper[v] > 0 ? take : -take;
      rest -= take;
    }
  }

  // Where classes can be separated with margin γ, γ Σα <= |w| for every α >= 0 (with Σ α y = 0 if
  // there is an offset): α with a small |w| / Σα is a certificate that the margin is no larger.
  bool observe(const support::Progress& p) {
    if (o_.problem == Problem::hard_margin && p.size_of_beta > 0) {
      const double bound = std::sqrt(std::max(0.0, p.squared_norm)) / p.size_of_beta;
      constexpr double separable = 1e-5;
      if (bound < separable * radius()) {
        margin_bound_ = bound;
        return false;
      }
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    if (o_.seconds > 0 && passed.count() > o_.seconds) {
      out_of_time_ = true;
      return false;
    }
    return !o_.observe || o_.observe({p.rounds, p.moves, p.violation, -p.objective, p.active});
  }

  double radius() {
    if (radius_ == 0) {
      std::vector<double> diagonal(K_.rows());
      K_.diagonal(diagonal);
      radius_ = std::sqrt(
          std::max(std::numeric_limits<double>::min(), *std::ranges::max_element(diagonal)));
    }
    return radius_;
  }

  // F of those strictly between their bounds, the mean; else the middle of what is possible.
  [[nodiscard]] double level(const Solution& s, std::uint8_t group) const {
    double sum = 0;
    double count = 0;
    for (std::size_t v = 0; v < problem_.size(); ++v) {
      if (problem_.group[v] != group) continue;
      if (s.beta[v] <= problem_.lower[v] || s.beta[v] >= problem_.upper[v]) continue;
      sum += s.F[v];
      ++count;
    }
    if (count > 0) return sum / count;
    const auto e = support::extremes(problem_, s.beta, s.F, group);
    if (!std::isfinite(e.least)) return e.largest;
    if (!std::isfinite(e.largest)) return e.least;
    return 0.5 * (e.least + e.largest);
  }

  void read(const Solution& s) {
    result_.violation = s.violation;
    result_.rounds = s.rounds;
    result_.moves = s.moves;
    result_.coefficients.assign(K_.rows(), 0);
    std::vector<double> limit(K_.rows());
    double squared = 0;
    for (std::size_t v = 0; v < problem_.size(); ++v) {
      const std::size_t i = problem_.place[v];
      result_.coefficients[i] += s.beta[v];
      limit[i] = std::max({limit[i], problem_.upper[v], -problem_.lower[v]});
      squared += s.beta[v] * (s.F[v] - problem_.linear[v]);
    }
    for (std::size_t i = 0; i < limit.size(); ++i) {
      if (result_.coefficients[i] == 0) continue;
      ++result_.support;
      if (std::abs(result_.coefficients[i]) >= limit[i]) ++result_.bounded;
    }
    result_.norm = std::sqrt(std::max(0.0, squared));
    values(s, squared);
    score(s);
    if (has_signs(o_.problem) && result_.norm > 0) result_.margin = 1 / result_.norm;
    describe(s);
  }

  void score(const Solution& s) {
    result_.scores.assign(K_.rows(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t v = 0; v < problem_.size(); ++v)
      result_.scores[problem_.place[v]] = (s.F[v] - problem_.linear[v]) / unit_ + result_.offset;
  }

  // Of all multiples t (w, b) of the rule, the least ½|tw|² + Σ C_i max(0, 1 - t y_i f(x_i)): no
  // optimum is above it either, and where C is large it is much nearer than t = 1, for which a
  // point that falls short by no more than the tolerance costs C times that.
  [[nodiscard]] double least_on_ray(const Solution& s, double squared) const {
    std::vector<std::pair<double, double>> margins;  // y f(x), and the price
    margins.reserve(problem_.size());
    for (std::size_t v = 0; v < problem_.size(); ++v)
      margins.emplace_back(y_[problem_.place[v]] * (s.F[v] - problem_.linear[v] + result_.offset),
                           problem_.upper[v] - problem_.lower[v]);
    const auto value = [&](double t) {
      double sum = 0.5 * t * t * squared;
      for (const auto& [margin, price] : margins)
        if (t * margin < 1) sum += price * (1 - t * margin);
      return sum;
    };
    if (o_.problem == Problem::hard_margin) {
      const double least = std::ranges::min_element(margins)->first;
      const double longer = 1 / std::min(1.0, least);
      return least > 0 ? 0.5 * squared * longer * longer : infinite;
    }
    return std::min(value(1), value(least_multiple(margins, squared)));
  }

  // The t between ½ and 2 where that value stops falling, by halving; 2 where it does not. Those
  // that fall short at the upper end do so at every t below, those that do not at the lower end at
  // none above: only the others are asked again.
  [[nodiscard]] static double least_multiple(std::vector<std::pair<double, double>> margins,
                                             double squared) {
    double low = 0.5;
    double high = 2;
    double certain = 0;  // Σ price · margin of those that fall short up to `high`
    auto begin = margins.begin();
    auto end = margins.end();
    const auto falls = [&](double t) {
      const auto enough =
          std::partition(begin, end, [&](const auto& m) { return t * m.first < 1; });
      double here = 0;
      for (auto m = begin; m != enough; ++m) here += m->second * m->first;
      const bool yes = t * squared - certain - here < 0;
      if (yes) {
        end = enough;
      } else {
        begin = enough;
        certain += here;
      }
      return yes;
    };
    if (falls(high)) return high;
    if (!falls(low)) return high;
    constexpr int halvings = 60;
    for (int k = 0; k < halvings && begin != end; ++k) {
      const double middle = 0.5 * (low + high);
      (falls(middle) ? low : high) = middle;
    }
    // The slope is a straight line between them now.
    return squared > 0 ? std::clamp(certain / squared, low, high) : high;
  }

  // The offset, and the values of the primal and the dual problem.
  void values(const Solution& s, double squared) {
    result_.dual = -s.objective;
    double slack = 0;  // Σ weight · what is short
    const double first = o_.offset ? level(s, 0) : 0;
    const bool groups =
        o_.problem == Problem::nu_classification || o_.problem == Problem::nu_regression;
    const double second = groups ? level(s, 1) : 0;
    const auto f = [&](std::size_t v) { return s.F[v] - problem_.linear[v]; };
    const auto price = [&](std::size_t v) { return problem_.upper[v] - problem_.lower[v]; };
    switch (o_.problem) {
      case Problem::classification:
      case Problem::hard_margin:
        result_.offset = -first;
        result_.primal = least_on_ray(s, squared);
        return;
      case Problem::regression:
        result_.offset = -first;
        for (std::size_t v = 0; v < problem_.size(); v += 2)
          slack +=
              price(v) *
              std::max(0.0, std::abs(f(v) + result_.offset - y_[problem_.place[v]]) - o_.epsilon);
        result_.primal = 0.5 * squared + slack;
        return;
      case Problem::nu_regression: {
        result_.offset = -0.5 * (first + second);
        const double tube = std::max(0.0, 0.5 * (second - first));
        result_.tube = tube;
        for (std::size_t v = 0; v < problem_.size(); v += 2)
          slack += price(v) *
                   std::max(0.0, std::abs(f(v) + result_.offset - y_[problem_.place[v]]) - tube);
        result_.primal = 0.5 * squared + 2 * sum_ * tube + slack;
        return;
      }
      case Problem::one_class:
        result_.offset = -first;
        for (std::size_t v = 0; v < problem_.size(); ++v)
          slack += price(v) * std::max(0.0, first - f(v));
        result_.primal = 0.5 * squared - sum_ * first + slack;
        return;
      case Problem::nu_classification: {
        const double r = 0.5 * (first - second);
        const double b = -0.5 * (first + second);
        for (std::size_t v = 0; v < problem_.size(); ++v)
          slack += price(v) * std::max(0.0, r - y_[problem_.place[v]] * (f(v) + b));
        result_.primal = 0.5 * squared - 2 * sum_ * r + slack;
        if (!(r > 0))
          throw Error(
              "nu-classification has no solution with a positive margin here: take a "
              "smaller nu, or C-classification");
        // The margin is r: divided by it, it is 1 as elsewhere.
        for (double& c : result_.coefficients) c /= r;
        result_.offset = b / r;
        unit_ = r;
        result_.norm /= r;
        return;
      }
    }
  }

  void describe(const Solution& s) {
    if (margin_bound_) {
      result_.end = Svm::End::not_separable;
      result_.primal = infinite;  // no w satisfies all conditions
      result_.margin.reset();
      result_.message = fmt::format(
          "not separable: no rule has a margin above {:.2g} (α is the certificate, |w|/Σα), where "
          "points are up to {:.3g} long; use a soft margin (C), or a kernel with more features",
          *margin_bound_, radius());
      return;
    }
    result_.end = s.converged     ? Svm::End::converged
                  : out_of_time_  ? Svm::End::seconds
                  : s.interrupted ? Svm::End::interrupted
                  : s.stalled     ? Svm::End::stalled
                                  : Svm::End::moves;
    if (result_.end == Svm::End::seconds)
      result_.message =
          fmt::format("stopped after {:g} s: optimality is violated by {:.2g}, more than {:.2g}",
                      o_.seconds, s.violation, o_.tolerance);
    if (result_.end == Svm::End::stalled)
      result_.message = fmt::format(
          "rounding errors are larger than the tolerance {:.2g}: optimality is violated by {:.2g}; "
          "kernel values in double, or another scale of the data, would help",
          o_.tolerance, s.violation);
    if (result_.end == Svm::End::moves)
      result_.message =
          fmt::format("stopped after {} moves: optimality is violated by {:.2g}, more than {:.2g}",
                      s.moves, s.violation, o_.tolerance);
    if (result_.end == Svm::End::interrupted)
      result_.message = fmt::format("interrupted: optimality is violated by {:.2g}", s.violation);
    constexpr double noticeable = 1e-6;
    if (result_.end == Svm::End::converged && result_.dual > 0 &&
        result_.primal < result_.dual * (1 - noticeable))
      result_.message =
          "the kernel is not positive definite on these points: the rule is "
          "stationary, but it need not be the best";
  }

  const Gram& K_;
  std::span<const double> y_;
  const SvmOptions& o_;
  const support::Known& known_;
  const support::Finer& finer_;
  Quadratic problem_;
  double sum_ = 0;  // of β in each group, with ν
  double radius_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  bool out_of_time_ = false;
  std::optional<double> margin_bound_;
  double unit_ = 1;  // what the rule is divided by
  Svm result_;
};

}  // namespace

double Svm::gap() const {
  if (!std::isfinite(primal)) return infinite;
  return (primal - dual) / std::max({1e-300, std::abs(primal), std::abs(dual)});
}

Svm svm(const Gram& K, std::span<const double> y, const SvmOptions& options) {
  return support::machine(K, y, options, {});
}

Svm support::machine(const Gram& K, std::span<const double> y, const SvmOptions& options,
                     const Known& known, const Continuation& continuation, const Finer& finer) {
  check(K, y, options);
  return Machine(K, y, options, known, finer).run(continuation);
}

}  // namespace mercer
