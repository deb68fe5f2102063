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
constexpr const char* no_margin = "nu-classification has no rule with a positive margin here";

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
    how.by_margin = o_.problem == Problem::nu_classification;
    how.most_moves = o_.moves;
    how.working_set = o_.working_set;
    how.shrinking = o_.shrinking;
    how.memory = o_.memory;
    how.threads = o_.threads;
    how.instructions = o_.instructions;
    how.observe = [&](const support::Progress& p) { return observe(p); };
    const Solution s = support::solve(K_, problem_, how, known_, finer_);
    if (!s.descends_for_ever.empty())
      throw support::NotAKernel(s.descends_for_ever, square_of(s.descends_for_ever));
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
    most_nu_ = 2 * std::min(room[0], room[1]) / all;
    if (o_.problem == Problem::nu_classification && sum_ > std::min(room[0], room[1]))
      throw Error(fmt::format("nu = {} is too large for classes of these sizes: at most {:.4g}",
                              o_.nu, most_nu_));
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
  // there is an offset): α with a |w| / Σα that is nothing beside the points is a certificate that
  // they are not. Of |w|² rounding may have made anything up to `lost`.
  [[nodiscard]] double lost(double size_of_beta) {
    constexpr double share = 1e-15;
    return share * largest() * size_of_beta * size_of_beta;
  }

  bool vanishes(double squared, double size_of_beta) {
    constexpr double nothing = 1e-5;
    return squared <= lost(size_of_beta) &&
           (extent() == 0 || bound_on_margin(squared, size_of_beta) < nothing * extent());
  }

  double bound_on_margin(double squared, double size_of_beta) {
    return std::sqrt(std::max(0.0, squared) + lost(size_of_beta)) / size_of_beta;
  }

  // β with βᵀKβ < 0, whatever rounding did.
  bool is_negative(double squared, double size_of_beta) {
    constexpr double surely = 1000;
    return squared < -surely * lost(size_of_beta);
  }

  bool observe(const support::Progress& p) {
    if (p.in_double && p.size_of_beta > 0) {
      if (o_.problem == Problem::hard_margin && (vanishes(p.squared_norm, p.size_of_beta) ||
                                                 is_negative(p.squared_norm, p.size_of_beta))) {
        vanished_ = true;
        return false;
      }
      if (o_.problem == Problem::nu_classification && p.active == problem_.size() &&
          p.squared_norm <= lost(p.size_of_beta)) {
        vanished_ = true;
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

  // The largest |k(x, x)|.
  double largest() {
    if (largest_ == 0) measure();
    return largest_;
  }

  // How far points are from the origin; with an offset, from one of them, since then the origin is
  // of no importance.
  double extent() {
    if (largest_ == 0) measure();
    return extent_;
  }

  void measure() {
    std::vector<double> diagonal(K_.rows());
    K_.diagonal(diagonal);
    const std::size_t c = problem_.place[0];
    std::vector<double> column(K_.rows());
    if (o_.offset)
      K_.apply(Rows::all(), std::vector<std::size_t>{c}, std::vector<double>{1}, 1, column);
    largest_ = std::numeric_limits<double>::min();
    double squared = 0;
    for (const std::size_t i : problem_.place) {
      largest_ = std::max(largest_, std::abs(diagonal[i]));
      squared = std::max(
          squared, o_.offset ? diagonal[i] - 2 * column[i] + diagonal[c] : std::abs(diagonal[i]));
    }
    extent_ = std::sqrt(squared);
  }

  // Of one point k(x, x), of two the square of their distance.
  [[nodiscard]] double square_of(const std::vector<std::size_t>& rows) const {
    std::vector<double> by{1};
    if (rows.size() > 1) by.push_back(-1);
    std::vector<double> f(rows.size());
    K_.apply(rows, rows, by, 1, f);
    return std::inner_product(f.begin(), f.end(), by.begin(), 0.0);
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
      size_ += std::abs(s.beta[v]);
    }
    squared_ = squared;
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
        if (squared <= lost(size_)) {
          without_margin_ = fmt::format(
              "{}: with nu = {} the classes are not told apart (|w| is 0, up "
              "to rounding); take {}another kernel, or C-classification",
              no_margin, o_.nu, larger_nu());
        } else if (!(r > 0) && (s.converged || s.stalled)) {
          without_margin_ = fmt::format(
              "{} beyond rounding errors: take {}another scale of the data, or C-classification",
              no_margin, larger_nu());
        }
        if (!(r > 0) || !without_margin_.empty()) {
          margin_is_known_ = false;
          result_.offset = b;
          return;
        }
        // The margin is r: divided by it, it is 1 as elsewhere.
        result_.violation = s.violation / r;
        for (double& c : result_.coefficients) c /= r;
        result_.offset = b / r;
        unit_ = r;
        result_.norm /= r;
        return;
      }
    }
  }

  // Hulls of the classes, cut back by less where nu is smaller, meet first there.
  [[nodiscard]] std::string larger_nu() const {
    constexpr double near = 0.99;
    return o_.nu < near * most_nu_ ? fmt::format("a larger nu (at most {:.4g} here), ", most_nu_)
                                   : std::string();
  }

  // Two of the support vectors, of different classes, that are one point to the kernel.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> twins() const {
    std::vector<std::size_t> support;
    for (std::size_t i = 0; i < K_.rows(); ++i)
      if (result_.coefficients[i] != 0) support.push_back(i);
    constexpr std::size_t many = 2048;
    if (support.size() > many) return std::nullopt;
    const std::size_t m = support.size();
    std::vector<double> values(m * m);
    K_.part(support).in_double().block(Rows::all(), Rows::all(), values.data(), m);
    const auto row = [&](std::size_t a) { return std::span(values).subspan(a * m, m); };
    std::vector<std::size_t> order(m);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return std::ranges::lexicographical_compare(row(a), row(b));
    });
    // Equal ones stand together, and somewhere among them the class changes.
    for (std::size_t k = 1; k < m; ++k) {
      const std::size_t a = order[k - 1];
      const std::size_t b = order[k];
      if (y_[support[a]] != y_[support[b]] && std::ranges::equal(row(a), row(b)))
        return std::pair(support[a], support[b]);
    }
    return std::nullopt;
  }

  // Whether a hard margin is out of the question, and why.
  bool describe_hard(const Solution& s) {
    if (s.in_double && is_negative(squared_, size_)) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < K_.rows(); ++i)
        if (result_.coefficients[i] != 0) rows.push_back(i);
      throw support::NotAKernel(rows, squared_ / (size_ * size_));
    }
    const char* remedy = "use a soft margin (C), or a kernel with more features";
    if (s.in_double && (extent() > 0 || !o_.offset) && vanishes(squared_, size_)) {
      result_.message = fmt::format(
          "not separable: no rule has a margin above {:.2g} (α is the certificate, |w|/Σα), where "
          "points are up to {:.3g} {}; {}",
          bound_on_margin(squared_, size_), extent(), o_.offset ? "apart" : "long", remedy);
    } else if (const auto same = s.stalled || vanished_ ? twins() : std::nullopt) {
      std::ranges::fill(result_.coefficients, 0.0);
      result_.coefficients[same->first] = y_[same->first];
      result_.coefficients[same->second] = y_[same->second];
      result_.support = 2;
      result_.bounded = 0;
      result_.norm = result_.offset = result_.dual = 0;
      for (const std::size_t i : problem_.place) result_.scores[i] = 0;
      result_.message = fmt::format(
          "not separable: two examples of different classes are the same point to this kernel (α "
          "is the certificate, w = 0); {}",
          remedy);
    } else {
      return false;
    }
    result_.end = Svm::End::not_separable;
    result_.primal = infinite;  // no w satisfies all conditions
    result_.margin.reset();
    return true;
  }

  void describe(const Solution& s) {
    if (o_.problem == Problem::hard_margin && describe_hard(s)) return;
    if (!without_margin_.empty()) {
      result_.end = Svm::End::not_separable;
      result_.message = without_margin_;
      result_.margin.reset();
      return;
    }
    const bool separates = o_.problem != Problem::hard_margin || std::isfinite(result_.primal);
    result_.end = s.converged && separates                ? Svm::End::converged
                  : out_of_time_                          ? Svm::End::seconds
                  : s.stalled || vanished_ || s.converged ? Svm::End::stalled
                  : s.interrupted                         ? Svm::End::interrupted
                                                          : Svm::End::moves;
    const double violation = result_.violation;
    if (result_.end == Svm::End::seconds)
      result_.message =
          fmt::format("stopped after {:g} s: optimality is violated by {:.2g}, more than {:.2g}",
                      o_.seconds, violation, o_.tolerance);
    if (result_.end == Svm::End::stalled) {
      result_.message = why_stalled(s);
      // What rounding has made of the rule need not be better than none.
      if (o_.problem == Problem::classification) {
        double none = 0;
        for (std::size_t v = 0; v < problem_.size(); ++v)
          none += problem_.upper[v] - problem_.lower[v];
        result_.primal = std::min(result_.primal, none);
      }
    }
    if (result_.end == Svm::End::moves)
      result_.message =
          fmt::format("stopped after {} moves: optimality is violated by {:.2g}, more than {:.2g}",
                      s.moves, violation, o_.tolerance);
    if (result_.end == Svm::End::interrupted)
      result_.message = fmt::format("interrupted: optimality is violated by {:.2g}", violation);
    if (!margin_is_known_) result_.message += "; the margin is not known to be positive yet";
    constexpr double noticeable = 1e-6;
    if (result_.end == Svm::End::converged && result_.dual > 0 &&
        result_.primal < result_.dual * (1 - noticeable))
      result_.message =
          "the kernel is not positive definite on these points: the rule is "
          "stationary, but it need not be the best";
    constexpr double wide = 0.1;
    if (result_.end == Svm::End::converged && result_.message.empty() && result_.gap() > wide) {
      // What the last bit of every score costs.
      double bits = 0;
      for (std::size_t v = 0; v < problem_.size(); ++v)
        bits += (problem_.upper[v] - problem_.lower[v]) * std::numeric_limits<double>::epsilon();
      result_.message =
          bits > wide * result_.dual
              ? fmt::format(
                    "primal and dual are {:.0f} % apart: at this price the last bits of numbers "
                    "cost more than the rule is worth; a smaller C, or --hard-margin",
                    100 * result_.gap())
              : fmt::format(
                    "primal and dual are {:.0f} % apart: the tolerance {:g} is large for numbers "
                    "of this size; a smaller one brings them together",
                    100 * result_.gap(), o_.tolerance);
    }
  }

  // Rounding can explain a violation of no more than a share of Σ|β| k.
  std::string why_stalled(const Solution& s) {
    constexpr double share = 1e-11;
    if (s.in_double && result_.violation > share * size_ * largest() / unit_)
      return fmt::format(
          "no more progress after {} moves: optimality is violated by {:.2g}, more than {:.2g}; "
          "is it a kernel on these points?",
          s.moves, result_.violation, o_.tolerance);
    std::string also;
    if (!s.in_double) also += ", or kernel values in double,";
    if (o_.problem == Problem::hard_margin) also += ", or a soft margin (C),";
    if (o_.problem != Problem::hard_margin && !has_nu(o_.problem)) also += ", or a smaller C,";
    return fmt::format(
        "rounding errors are larger than the tolerance {:.2g}: optimality is violated by {:.2g}; "
        "another scale of the data{} would help",
        o_.tolerance, result_.violation, also);
  }

  const Gram& K_;
  std::span<const double> y_;
  const SvmOptions& o_;
  const support::Known& known_;
  const support::Finer& finer_;
  Quadratic problem_;
  double sum_ = 0;  // of β in each group, with ν
  double most_nu_ = 0;
  double largest_ = 0;  // |k(x, x)|; 0: not measured yet
  double extent_ = 0;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  bool out_of_time_ = false;
  bool vanished_ = false;        // w, up to rounding
  std::string without_margin_;   // of ν-classification: why there is none
  bool margin_is_known_ = true;  // of ν-classification
  double squared_ = 0;           // |w|², before it is divided
  double size_ = 0;              // Σ|β|, likewise
  double unit_ = 1;              // what the rule is divided by
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

static std::string why_no_kernel(const std::vector<std::size_t>& rows, double value) {
  const std::string where =
      rows.size() == 1 ? fmt::format("k(x,x) = {:.3g} for example {}", value, rows[0] + 1)
      : rows.size() == 2
          ? fmt::format("k(x,x) - 2k(x,z) + k(z,z) = {:.3g} for examples {} and {}", value,
                        rows[0] + 1, rows[1] + 1)
          : fmt::format(
                "Σ β_i β_j k(x_i,x_j) = {:.2g} for some β with Σ|β| = 1, of "
                "{} examples from {} to {}",
                value, rows.size(), std::ranges::min(rows) + 1, std::ranges::max(rows) + 1);
  return fmt::format(
      "not a kernel on these points, and a hard margin needs one: {}; take another kernel, or a "
      "soft margin (C)",
      where);
}

support::NotAKernel::NotAKernel(std::vector<std::size_t> rows, double value)
    : Error(why_no_kernel(rows, value)), rows_(std::move(rows)), value_(value) {}

support::NotAKernel support::NotAKernel::among(std::span<const std::size_t> rows) const {
  std::vector<std::size_t> there;
  for (const std::size_t i : rows_) there.push_back(rows[i]);
  return {there, value_};
}

Svm support::machine(const Gram& K, std::span<const double> y, const SvmOptions& options,
                     const Known& known, const Continuation& continuation, const Finer& finer) {
  check(K, y, options);
  return Machine(K, y, options, known, finer).run(continuation);
}

}  // namespace mercer
