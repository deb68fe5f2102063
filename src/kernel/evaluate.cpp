#include "kernel/evaluate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mercer/error.hpp>
#include <numbers>

#include "base/text.hpp"
#include "kernel/form.hpp"
#include "kernel/matern.hpp"
#include "kernel/open_call.hpp"
#include "kernel/print.hpp"

namespace mercer::algebra {

namespace {

// A sum that keeps what rounding drops (Neumaier): sums over many coordinates stay accurate.
class Accumulator {
 public:
  void add(double v) {
    const double next = sum_ + v;
    lost_ += std::abs(sum_) >= std::abs(v) ? (sum_ - next) + v : (v - next) + sum_;
    sum_ = next;
  }
  [[nodiscard]] double value() const { return std::isfinite(lost_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

class Evaluator {
 public:
  Evaluator(std::span<const double> x, std::span<const double> z) : x_(x), z_(z) {}

  double run(const Expr& e) {
    const double v = value(*e);
    if (std::isfinite(v)) return v;
    fail(*e, "is too large for a double");
  }

 private:
  // "log(x1) is undefined at x = (-1): log needs a positive number, not -1"
  [[noreturn]] void fail(const Node& n, const std::string& what,
                         const std::string& why = {}) const {
    std::string text =
        print_for_reading(std::make_shared<const Node>(n), Naming::names) + " " + what;
    if (n.uses_x) text += " at x = " + point_text(x_);
    if (n.uses_z) text += (n.uses_x ? ", z = " : " at z = ") + point_text(z_);
    if (!why.empty()) text += ": " + why;
    if (what == "is undefined") throw UndefinedError(text);
    throw EvaluationError(text);
  }

  double value(const Node& n) {
    const double v = raw(n);
    if (std::isnan(v)) fail(n, "has no value", "infinite parts cancel");
    return v;
  }

  double value(const Expr& e) { return value(*e); }

  double raw(const Node& n) {
    switch (n.op) {
      case Op::number:
        return n.value;
      case Op::pi:
        return std::numbers::pi;
      case Op::coordinate:
        return coordinate(n);
      case Op::sum:
        return sum(n);
      case Op::product:
        return product(n);
      case Op::power:
        return power(n);
      case Op::function:
        return function(n);
      case Op::minimum:
      case Op::maximum: {
        double v = value(n.args[0]);
        for (const auto& arg : n.args)
          v = n.op == Op::minimum ? std::min(v, value(arg)) : std::max(v, value(arg));
        return v;
      }
      case Op::sum_over: {
        Accumulator total;
        over_columns(n, [&](double v) { total.add(v); });
        return total.value();
      }
      case Op::product_over: {
        double v = 1;
        over_columns(n, [&](double factor) { v *= factor; });
        return v;
      }
      case Op::symmetric_over:
        return symmetric(n);
      case Op::normalize:
        return normalized(n);
      case Op::chi:
        return chi(n);
      case Op::matern: {
        const double squared = value(n.args[0]);
        if (squared < 0) fail(n, "is undefined", "the squared distance is negative");
        return matern_function(n.value, std::sqrt(squared));
      }
      case Op::user:
        return user(n);
      case Op::precomputed:
        throw EvaluationError("precomputed has values only on the rows of the user's matrix");
      case Op::open_call:
        throw EvaluationError("the parameter of " + text(*n.open) +
                              " is open: give it a value first");
    }
    return 0;
  }

  double coordinate(const Node& n) {
    const auto point = n.side == Side::x ? x_ : z_;
    if (n.place == Place::bound) return point[at_[levels_ - 1 - n.index]];
    if (n.columns.has_names()) unresolved(n.columns);
    return n.place == Place::only ? point[0] : point[n.index - 1];
  }

  [[noreturn]] static void unresolved(const Columns& columns) {
    throw EvaluationError("the columns " + columns.kernel_suffix() +
                          " are known by name only: the points have no column names");
  }

  // f - 1 without cancellation, where n is a function that is 1 at 0 and its argument is small.
  std::optional<double> minus_one(const Node& n) {
    if (n.op == Op::function && n.fn == Function::exp) return std::expm1(value(n.args[0]));
    if (n.op == Op::function && (n.fn == Function::cos || n.fn == Function::cosh)) {
      const double half = value(n.args[0]) / 2;
      const double s = n.fn == Function::cos ? std::sin(half) : std::sinh(half);
      return (n.fn == Function::cos ? -2 : 2) * s * s;
    }
    if (n.op == Op::power && n.args[1]->op == Op::number && has_one(*n.args[0])) {
      const double u = sum_terms(*n.args[0], nullptr);
      if (std::abs(u) < 0.5) return std::expm1(n.args[1]->value * std::log1p(u));
    }
    return std::nullopt;
  }

  static bool has_one(const Node& n) { return n.op == Op::sum && n.number.is_one(); }

  // A term of a sum; its coefficient may be beyond the range of doubles where the product is not.
  double term(const Node& n, std::size_t i) {
    const double v = value(n.args[i]);
    if (n.coefficients[i].is_zero() || (n.weights[i] != 0 && std::isfinite(n.weights[i])))
      return n.weights[i] * v;
    if (v == 0 || !std::isfinite(v)) return v;
    const auto [m, e] = n.coefficients[i].scaled();
    int own = 0;
    const double mantissa = std::frexp(v, &own);
    return std::ldexp(mantissa * m, own + e);
  }

  // The terms of a sum without its constant, and without one of them.
  double sum_terms(const Node& n, const Node* without) {
    Accumulator total;
    for (std::size_t i = 0; i < n.args.size(); ++i)
      if (n.args[i].get() != without) total.add(term(n, i));
    return total.value();
  }

  double sum(const Node& n) {
    for (std::size_t i = 0; i < n.args.size(); ++i) {  // w*f - w is w*(f - 1)
      if (n.number.is_zero() || n.coefficients[i] != -n.number) continue;
      if (const auto difference = minus_one(*n.args[i])) {
        const double rest = n.args.size() == 1 ? 0 : sum_terms(n, n.args[i].get());
        return n.weights[i] * *difference + rest;
      }
    }
    Accumulator total;
    total.add(n.value);
    for (std::size_t i = 0; i < n.args.size(); ++i) total.add(term(n, i));
    return total.value();
  }

  // What stands below the bar is multiplied first, so that a quotient is rounded once.
  double product(const Node& n) {
    double above = 1;
    double below = 1;
    for (const auto& arg : n.args) {
      if (arg->op == Op::power && is_number(arg->args[1]) && arg->args[1]->number.sign() < 0) {
        const double divisor = raised(*arg, -arg->args[1]->value);
        if (divisor == 0) divided_by_zero(*arg);
        below *= divisor;
      } else {
        above *= value(arg);
      }
    }
    return above / below;
  }

  // A positive base is 0 only by underflow.
  [[noreturn]] void divided_by_zero(const Node& n) const {
    if (n.args[0]->positive) fail(n, "is too large for a double");
    fail(n, "is undefined", "division by zero");
  }

  double power(const Node& n) { return raised(n, value(n.args[1])); }

  double raised(const Node& n, double exponent) {
    if (has_one(*n.args[0]) && (std::abs(exponent) > 4 || exponent != std::floor(exponent))) {
      const double u = sum_terms(*n.args[0], nullptr);
      if (std::abs(u) < 0.5) return std::exp(exponent * std::log1p(u));
    }
    const double base = value(n.args[0]);
    if (!(base > smallest_square && base < largest_square) && is_sum_of_squares(*n.args[0]))
      return scaled_norm(n, exponent);
    if (base == 0 && exponent < 0) divided_by_zero(n);
    if (base < 0 && exponent != std::floor(exponent))
      fail(n, "is undefined", "a real power of the negative number " + shortest(base));
    if (exponent == 0.5) return std::sqrt(base);
    if (exponent == -0.5) return 1 / std::sqrt(base);
    if (exponent == 2) return base * base;
    return std::pow(base, exponent);
  }

  static constexpr double smallest_square = 1e-280;
  static constexpr double largest_square = 1e300;

  static bool is_sum_of_squares(const Node& n) {
    return n.op == Op::sum_over && n.args[0]->op == Op::power && is_number(n.args[0]->args[1], 2);
  }

  // |v|^(2 exponent) where the squares of v leave the range of doubles but |v| may not.
  double scaled_norm(const Node& n, double exponent) {
    std::vector<double> values;
    const Node& sum = *n.args[0];
    double largest = 0;
    over_columns(sum, *sum.args[0]->args[0], [&](double v) {
      values.push_back(v);
      largest = std::max(largest, std::abs(v));
    });
    if (largest == 0 && exponent < 0) fail(n, "is undefined", "division by zero");
    if (largest == 0) return exponent == 0 ? 1 : 0;
    double squares = 0;
    for (const double v : values) squares += (v / largest) * (v / largest);
    return std::pow(largest, 2 * exponent) * std::pow(squares, exponent);
  }

  double function(const Node& n) {
    if (n.fn == Function::log) return logarithm(n);
    const double u = value(n.args[0]);
    switch (n.fn) {
      case Function::exp:
        return std::exp(u);
      case Function::cos:
        return std::isinf(u) ? std::nan("") : std::cos(u);
      case Function::sin:
        return std::isinf(u) ? std::nan("") : std::sin(u);
      case Function::cosh:
        return std::cosh(u);
      case Function::sinh:
        return std::sinh(u);
      case Function::tanh:
        return std::tanh(u);
      case Function::abs:
        return std::abs(u);
      case Function::asin: {
        constexpr double rounding = 1e-14;  // a cosine of 1 may come out as 1 + 2^-52
        if (std::abs(u) > 1 + rounding)
          fail(n, "is undefined", "asin needs a number in [-1,1], not " + shortest(u));
        return std::asin(std::clamp(u, -1.0, 1.0));
      }
      case Function::log:
        break;
    }
    return 0;
  }

  double logarithm(const Node& n) {
    const Node& arg = *n.args[0];
    if (has_one(arg)) {
      const double u = sum_terms(arg, nullptr);
      if (u > -1) return std::log1p(u);
      fail(n, "is undefined", "log needs a positive number, not " + shortest(1 + u));
    }
    const double u = value(arg);
    if (u <= 0) fail(n, "is undefined", "log needs a positive number, not " + shortest(u));
    return std::log(u);
  }

  template <class Visit>
  void over_columns(const Node& n, const Visit& visit) {
    over_columns(n, *n.args[0], visit);
  }

  template <class Visit>
  void over_columns(const Node& n, const Node& body, const Visit& visit) {
    if (n.columns.has_names()) unresolved(n.columns);
    const std::size_t level = levels_++;
    for (const auto& range : n.columns.ranges(static_cast<std::uint32_t>(x_.size())))
      for (std::size_t i = range.first; i <= range.last; ++i) {
        at_[level] = i - 1;
        visit(value(body));
      }
    --levels_;
  }

  // Elementary symmetric polynomial of the body's values, one coordinate at a time.
  double symmetric(const Node& n) {
    std::vector<double> sums{1};  // sums[j]: over sets of j of the coordinates so far
    over_columns(n, [&](double v) {
      if (sums.size() <= n.degree) sums.push_back(0);
      for (std::size_t j = sums.size() - 1; j > 0; --j) sums[j] += v * sums[j - 1];
    });
    return n.degree < sums.size() ? sums[n.degree] : 0;
  }

  double normalized(const Node& n) {
    if (n.args[0]->op == Op::sum_over && is_dot_product(n.args[0])) return cosine(n);
    const double at_x = self(n.args[0], x_);
    const double at_z = self(n.args[0], z_);
    if (at_x < 0 || at_z < 0)
      fail(n, "is undefined",
           at_x < 0 ? "k(x,x) = " + shortest(at_x) + " is negative"
                    : "k(z,z) = " + shortest(at_z) + " is negative");
    if (at_x == 0 || at_z == 0) return 0;
    if (std::isinf(at_x) || std::isinf(at_z))
      fail(n, "has no value", "k(x,x) is too large for a double");
    return value(n.args[0]) / (std::sqrt(at_x) * std::sqrt(at_z));
  }

  // With each point divided by its largest coordinate first, so that no square leaves the range.
  double cosine(const Node& n) {
    std::vector<double> x = selected(n.args[0]->columns, x_);
    std::vector<double> z = selected(n.args[0]->columns, z_);
    for (auto* point : {&x, &z}) {
      double largest = 0;
      for (const double v : *point) largest = std::max(largest, std::abs(v));
      if (largest == 0) return 0;
      for (double& v : *point) v /= largest;
    }
    Accumulator xz;
    Accumulator xx;
    Accumulator zz;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xz.add(x[i] * z[i]);
      xx.add(x[i] * x[i]);
      zz.add(z[i] * z[i]);
    }
    return xz.value() / (std::sqrt(xx.value()) * std::sqrt(zz.value()));
  }

  double self(const Expr& k, std::span<const double> point) {
    Evaluator both = *this;
    both.x_ = both.z_ = point;
    return both.value(k);
  }

  double chi(const Node& n) {
    const double a = value(n.args[0]);
    const double b = value(n.args[1]);
    if (a == 0 && b == 0) return 0;
    if (a + b == 0) fail(n, "is undefined", "division by zero");
    return (a - b) / (a + b) * (a - b);
  }

  double user(const Node& n) {
    std::vector<double> x = selected(n.columns, x_);
    std::vector<double> z = selected(n.columns, z_);
    if (n.swapped) std::swap(x, z);
    const double v = n.user->function(x, z);
    if (!std::isfinite(v)) fail(n, "returned " + shortest(v));
    return v;
  }

  static std::vector<double> selected(const Columns& columns, std::span<const double> point) {
    if (columns.has_names()) unresolved(columns);
    std::vector<double> result;
    for (const auto& range : columns.ranges(static_cast<std::uint32_t>(point.size())))
      for (std::size_t i = range.first; i <= range.last; ++i) result.push_back(point[i - 1]);
    return result;
  }

  std::span<const double> x_;
  std::span<const double> z_;
  std::array<std::size_t, max_reductions + 1> at_{};  // the coordinate of each enclosing reduction
  std::size_t levels_ = 0;
};

void check_points(const Node& n, std::span<const double> x, std::span<const double> z) {
  if (x.size() != z.size())
    throw EvaluationError("x has dimension " + std::to_string(x.size()) + ", z has " +
                          std::to_string(z.size()));
  if (x.empty()) throw EvaluationError("a point without coordinates");
  if (n.as_number && x.size() != 1)
    throw EvaluationError(
        "the expression uses x as a number, so the points must have dimension 1, not " +
        std::to_string(x.size()));
  if (x.size() < n.least_dimension)
    throw EvaluationError("the expression uses coordinate " + std::to_string(n.least_dimension) +
                          ", but the points have dimension " + std::to_string(x.size()));
  for (const auto& [point, name] : {std::pair{x, "x"}, std::pair{z, "z"}})
    for (std::size_t i = 0; i < point.size(); ++i)
      if (!std::isfinite(point[i]))
        throw EvaluationError(std::string(name) + std::to_string(i + 1) + " is " +
                              shortest(point[i]) + ", not a finite number");
}

}  // namespace

double evaluate(const Expr& e, std::span<const double> x, std::span<const double> z) {
  check_points(*e, x, z);
  return Evaluator(x, z).run(e);
}

double constant_value(const Expr& e) { return Evaluator({}, {}).run(e); }

}  // namespace mercer::algebra
