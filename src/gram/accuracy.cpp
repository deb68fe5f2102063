#include "gram/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mercer/error.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "gram/point_function.hpp"
#include "kernel/evaluate.hpp"

namespace mercer::gram {

namespace {

constexpr double largest_norm = 1e36;  // of floats: tiles of others are looked at one by one

struct Number {
  double value = 0;
  double error = 0;
  double size = 0;  // evaluated with absolute values
};

// The plan at one pair of points, in double, with errors.
class Analysis {
 public:
  Analysis(const Plan& plan, double roundoff)
      : plan_(plan),
        u_(roundoff),
        smallest_(roundoff > 1e-10 ? static_cast<double>(std::numeric_limits<float>::min())
                                   : std::numeric_limits<double>::min()),
        registers_(plan.registers) {}

  void points(const Points& x, std::size_t i, const Points& z, std::size_t j,
              std::span<const double> centre) {
    if (plan_.sparse) return sparse_points(x, i, z, j);
    centre_ = centre;
    x_.resize(x.columns());
    z_.resize(z.columns());
    x.row(i, std::span(x_));
    z.row(j, std::span(z_));
    equal_.resize(x_.size());
    for (std::size_t k = 0; k < x_.size(); ++k) equal_[k] = x_[k] == z_[k];
    if (plan_.centre_all)
      for (std::size_t k = 0; k < x_.size(); ++k) {
        x_[k] -= centre[k];
        z_[k] -= centre[k];
      }
    for (const bool row : {true, false}) {
      const auto& point = row ? x_ : z_;
      auto& coordinates = row ? rows_ : columns_;
      auto& errors = row ? row_errors_ : column_errors_;
      coordinates.assign(plan_.sources.size(), {});
      errors.assign(plan_.sources.size(), {});
      for (std::size_t s = 0; s < plan_.sources.size(); ++s)
        for (const std::uint32_t k : plan_.sources[s].columns) {
          const double v = point[k] - (plan_.sources[s].centred ? centre[k] : 0);
          coordinates[s].push_back(mapped(plan_.sources[s], v));
          errors[s].push_back(lost_in_map(plan_.sources[s], v));
        }
    }
  }

  // The errors of sums over coordinates are seen by moving each sum by its own, up and down: what
  // several steps make of it may cancel, as in (1 + r) exp(-r) near r = 0. Those of the steps
  // behind them are added up.
  std::vector<Number> run() {
    sums_.clear();
    std::vector<Number> results = computed();
    const std::vector<Sum> sums = sums_;
    for (const Sum& sum : sums) {
      std::vector<double> apart(results.size());
      for (const double sign : {1.0, -1.0}) {
        moved_ = {sum.step, sign * sum.error};
        const std::vector<Number> there = computed();
        for (std::size_t k = 0; k < results.size(); ++k) {
          const double far = std::abs(there[k].value - results[k].value);
          apart[k] = std::max(apart[k], std::isfinite(far) ? far : std::abs(results[k].value));
        }
      }
      for (std::size_t k = 0; k < results.size(); ++k) results[k].error += apart[k];
    }
    moved_ = {};
    return results;
  }

 private:
  static double mapped(const Source& source, double v) {
    if (source.map == nullptr) return source.scale * v;
    return source.scale * algebra::evaluate(source.map, std::span(&v, 1), std::span(&v, 1));
  }

  // What the rounding of a coordinate, a double, makes of the function of it.
  static double lost_in_map(const Source& source, double v) {
    if (source.map == nullptr) return 0;
    try {
      constexpr double epsilon = std::numeric_limits<double>::epsilon();
      return std::abs(mapped(source, v * (1 + epsilon)) - mapped(source, v));
    } catch (const EvaluationError&) {
      return 0;  // at the end of where it is defined
    }
  }

  // Only the coordinates where one of the points is not 0: there may be a million others.
  void sparse_points(const Points& x, std::size_t i, const Points& z, std::size_t j) {
    std::map<std::size_t, std::pair<double, double>> both;
    for_entries(x, i, [&](std::size_t k, double v) { both[k].first = v; });
    for_entries(z, j, [&](std::size_t k, double v) { both[k].second = v; });
    if (both.empty()) both[0] = {};
    x_.clear();
    z_.clear();
    rows_.assign(plan_.sources.size(), {});
    columns_.assign(plan_.sources.size(), {});
    row_errors_ = rows_;
    column_errors_ = columns_;
    for (const auto& [k, v] : both) {
      x_.push_back(v.first);
      z_.push_back(v.second);
    }
    for (std::size_t s = 0; s < plan_.sources.size(); ++s) {
      const Source& source = plan_.sources[s];
      const bool all = source.columns.size() == x.columns();
      for (const auto& [k, v] : both) {
        if (!all && !std::ranges::binary_search(source.columns, static_cast<std::uint32_t>(k)))
          continue;
        rows_[s].push_back(mapped(source, v.first));
        columns_[s].push_back(mapped(source, v.second));
        row_errors_[s].push_back(lost_in_map(source, v.first));
        column_errors_[s].push_back(lost_in_map(source, v.second));
      }
    }
    if (!functions_) functions_.emplace(plan_, x.columns(), std::span<const double>());
    whole_x_ = {&x, i};
    whole_z_ = {&z, j};
  }

  // A step that sums over coordinates, and its error.
  struct Sum {
    const Step* step = nullptr;
    double error = 0;
  };

  std::vector<Number> computed() {
    run(plan_.steps);
    std::vector<Number> results;
    results.reserve(plan_.results.size());
    for (const auto r : plan_.results) results.push_back(registers_[r]);
    return results;
  }

  void run(const std::vector<Step>& steps) {
    for (const auto& s : steps) {
      Number& made = registers_[s.to];
      made = step(s);
      made.error += vanished(made.value);
    }
  }

  // What is lost of a number below the smallest normal one: it counts as 0.
  [[nodiscard]] double vanished(double v) const {
    return std::abs(v) < smallest_ ? std::abs(v) : 0;
  }

  // What is to be added to the sum of this step; its error is kept for later. Within a loop there
  // are too many of them: what is made of each is added up there.
  double moved(const Step& s, double error) {
    if (moved_.step == nullptr && error > 0) sums_.push_back({&s, error});
    return moved_.step == &s ? moved_.error : 0;
  }

  [[nodiscard]] Number rounded(double v) const { return {v, u_ * std::abs(v), std::abs(v)}; }

  [[nodiscard]] double function(std::uint32_t n, bool row) const {
    const PointFunction& f = plan_.functions[n];
    const bool half = f.kind == PointFunction::Kind::half_norm;
    if (half || f.kind == PointFunction::Kind::squared_norm) {
      double total = 0;
      for (const double v : (row ? rows_ : columns_)[f.source]) total += v * v;
      return half ? total / 2 : total;
    }
    if (f.kind == PointFunction::Kind::along_centre)
      return along(centre_, plan_.sources[f.source].columns, row ? x_ : z_);
    if (functions_) {
      const auto& [points, i] = row ? whole_x_ : whole_z_;
      std::vector<double> workspace;
      return functions_->value(n, *points, i, workspace);
    }
    const auto& point = row ? x_ : z_;
    const double v = algebra::evaluate(f.expression, point, point);
    return f.kind == PointFunction::Kind::value ? v : v > 0 ? 1 / std::sqrt(v) : 0;
  }

  // Of x·z itself, from wherever the points are seen: what is added may be larger, and cancel.
  [[nodiscard]] double size_of_dot(std::span<const std::uint32_t> columns) const {
    double total = 0;
    for (const std::uint32_t k : columns) total += std::abs(x_[k] * z_[k]);
    return total;
  }

  // Rounding errors of a long sum mostly cancel: they grow like its square root.
  [[nodiscard]] double summing(std::size_t n) const {
    return u_ * (1 + 0.5 * std::sqrt(static_cast<double>(n)));
  }

  [[nodiscard]] Number reduction(const Reduction& r) const {
    const auto& a = rows_[r.x];
    const auto& b = columns_[r.z];
    const auto& of_a = row_errors_[r.x];
    const auto& of_b = column_errors_[r.z];
    if (r.kind == Reduce::product || r.kind == Reduce::symmetric) return product(r, a, b);
    Number total;
    double lost = 0;  // terms that vanish, however many they are
    for (std::size_t i = 0; i < a.size(); ++i) {
      // Of a-b, from a and b; of equal ones both are rounded alike.
      const bool alike = !plan_.sparse && r.x == r.z && equal_[plan_.sources[r.x].columns[i]];
      const double both = alike ? 0 : u_ * (std::abs(a[i]) + std::abs(b[i])) + of_a[i] + of_b[i];
      const double t = a[i] - b[i];
      double v = 0;
      double error = 0;
      double size = 0;
      if (r.overlap && (a[i] == 0 || b[i] == 0)) continue;
      switch (r.kind) {
        case Reduce::dot:
          v = a[i] * b[i];
          size = std::abs(v);
          error = u_ * size + lost_in_product(r, i);
          break;
        case Reduce::squared_difference:
          v = t * t;
          size = v;
          error = (2 * std::abs(t) + both) * both;  // t may be all rounding
          break;
        case Reduce::absolute_difference:
          v = std::abs(t);
          size = v;
          error = both;
          break;
        case Reduce::chi:
          v = t == 0 ? 0 : t * t / (a[i] + b[i]);
          size = std::abs(v);
          error = t == 0 ? 0 : 2 * std::abs(t / (a[i] + b[i])) * both;
          break;
        default:
          v = r.kind == Reduce::minimum ? std::min(a[i], b[i]) : std::max(a[i], b[i]);
          size = std::max(std::abs(a[i]), std::abs(b[i]));
          error = u_ * size + std::max(of_a[i], of_b[i]);
          break;
      }
      if (r.overlap) {  // as far as sizes go, up to what is taken off
        v -= taken_off(r.kind, a[i]) + taken_off(r.kind, b[i]);
        error = std::max(error, both);
        size = std::abs(v);
      }
      total.value += v;
      total.size += size;
      total.error += error;
      lost += vanished(v);
    }
    // The errors of the single terms have either sign.
    total.error /= std::sqrt(static_cast<double>(std::max<std::size_t>(1, a.size())));
    total.error += summing(a.size()) * total.size + lost;
    return total;
  }

  static double taken_off(Reduce kind, double v) {
    switch (kind) {
      case Reduce::minimum:
        return std::min(v, 0.0);
      case Reduce::maximum:
        return std::max(v, 0.0);
      case Reduce::absolute_difference:
        return std::abs(v);
      default:
        return v;
    }
  }

  [[nodiscard]] double lost_in_product(const Reduction& r, std::size_t i) const {
    return std::abs(rows_[r.x][i]) * column_errors_[r.z][i] +
           std::abs(columns_[r.z][i]) * row_errors_[r.x][i];
  }

  [[nodiscard]] Number product(const Reduction& r, const std::vector<double>& a,
                               const std::vector<double>& b) const {
    Number total;
    double lost = 0;  // in the coordinates
    if (r.kind == Reduce::product) {
      total.value = total.size = 1;
      for (std::size_t i = 0; i < a.size(); ++i) {
        total.value *= r.shift + r.scale * a[i] * b[i];
        const double size = std::abs(r.shift) + std::abs(r.scale * a[i] * b[i]);
        total.size *= size;
        if (size > 0) lost += std::abs(r.scale) * lost_in_product(r, i) / size;
      }
      lost *= total.size;
    } else {
      std::vector<double> sums(r.degree + 1);
      std::vector<double> sizes(r.degree + 1);
      sums[0] = sizes[0] = 1;
      for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = r.degree; j > 0; --j) {
          sums[j] += a[i] * b[i] * sums[j - 1];
          sizes[j] += std::abs(a[i] * b[i]) * sizes[j - 1];
        }
      for (std::size_t i = 0; i < a.size(); ++i)
        lost += lost_in_product(r, i) * sizes[r.degree - 1];
      total.value = sums[r.degree];
      total.size = sizes[r.degree];
    }
    total.error = 3 * summing(a.size()) * total.size + lost;
    return total;
  }

  Number step(const Step& s) {
    const Number a = registers_[s.a];
    const Number b = registers_[s.b];
    switch (s.code) {
      case Code::reduction: {
        Number sum = reduction(plan_.reductions[s.n]);
        if (!turns_.empty()) return sum;
        sum.value += moved(s, std::exchange(sum.error, 0));
        return sum;
      }
      case Code::distance: {
        const double x = function(s.n, true);
        const double z = function(s.n, false);
        const std::size_t terms = plan_.sources[plan_.functions[s.n].source].columns.size();
        const auto count = static_cast<double>(terms);
        const double norms = summing(terms) * (x + z) + count * vanished((x + z) / count);
        if (!turns_.empty()) {
          const double v = std::max(0.0, x + z - 2 * a.value);
          return {v, 2 * a.error + norms, v};
        }
        const double v = std::max(0.0, x + z - 2 * a.value + moved(s, norms));
        return {v, 2 * a.error, v};
      }
      case Code::fill:
        return rounded(s.p);
      case Code::load_row:
        return rounded(function(s.n, true));
      case Code::load_column:
        return rounded(function(s.n, false));
      case Code::move:
        return a;
      case Code::scale:
        return plus(times(a, s.p), rounded(s.q));
      case Code::add:
        return plus(a, b);
      case Code::add_scaled:
        return plus(a, times(b, s.p));
      case Code::add_row:
        return plus(a, times(rounded(function(s.n, true)), s.p));
      case Code::add_column:
        return plus(a, times(rounded(function(s.n, false)), s.p));
      case Code::add_both: {
        Number sum =
            plus(a, times(plus(rounded(function(s.n, true)), rounded(function(s.n, false))), s.p));
        if (plan_.functions[s.n].kind == PointFunction::Kind::along_centre)
          sum.size = size_of_dot(plan_.sources[plan_.functions[s.n].source].columns);
        return sum;
      }
      case Code::multiply:
        return times(a, b);
      case Code::multiply_row:
        return times(a, rounded(function(s.n, true)));
      case Code::multiply_column:
        return times(a, rounded(function(s.n, false)));
      case Code::multiply_both:
        return times(times(a, rounded(function(s.n, true))), rounded(function(s.n, false)));
      case Code::divide:
        return times(a, of(b, 1 / b.value, 1 / (b.value * b.value)));
      case Code::reciprocal:
        return of(a, 1 / a.value, 1 / (a.value * a.value));
      case Code::power: {
        const double v = std::pow(a.value, s.n);
        Number result = of(a, v, s.n * std::pow(std::abs(a.value), s.n - 1));
        result.error += s.n * u_ * std::abs(v) / 2;
        result.size = std::pow(a.size, s.n);
        return result;
      }
      case Code::square_root:
        return root(a);
      case Code::raise:
        return raised(a, s.p);
      case Code::raise_to:
        return raised(a, b.value);
      case Code::exponential: {
        const double v = std::exp(s.p * a.value + s.q);
        const double in = std::abs(s.p) * a.error + u_ * (std::abs(s.p * a.value) + std::abs(s.q));
        return {v, v * (in + 2 * u_), v};
      }
      case Code::gaussian: {
        const double both = function(s.n, true) + function(s.n, false);
        // Scaled points may be too large for floats where the points are not.
        if (u_ == single_roundoff && both > largest_norm) return {1, 1, 1};
        const double norms =
            summing(plan_.sources[plan_.functions[s.n].source].columns.size()) * both;
        const double v = std::exp2(std::min(0.0, a.value - both + moved(s, norms)));
        return {v, v * (std::log(2.0) * a.error + 2 * u_), v};
      }
      case Code::coordinate_x:
      case Code::coordinate_z: {
        const auto& [source, k] = turns_[turns_.size() - 1 - s.n];
        return rounded((s.code == Code::coordinate_x ? rows_ : columns_)[source][k]);
      }
      case Code::loop:
        return loop(plan_.loops[s.n]);
      case Code::leaf:
        return rounded(1);
      default:
        return applied(s, a, b);
    }
  }

  Number applied(const Step& s, const Number& a, const Number& b) const {
    const double v = a.value;
    switch (s.code) {
      case Code::logarithm:
        return of(a, std::log(v), 1 / std::abs(v));
      case Code::cosine:
        return {std::cos(v), a.error * std::abs(std::sin(v)) + a.error * a.error + u_, 1};
      case Code::sine:
        return {std::sin(v), a.error * std::abs(std::cos(v)) + a.error * a.error + u_, 1};
      case Code::hyperbolic_cosine:
        return of(a, std::cosh(v), std::abs(std::sinh(v)));
      case Code::hyperbolic_sine:
        return of(a, std::sinh(v), std::cosh(v));
      case Code::hyperbolic_tangent:
        return of(a, std::tanh(v), 1 - std::tanh(v) * std::tanh(v));
      case Code::arc_sine: {
        const double w = std::clamp(v, -1.0, 1.0);
        const double room = std::max(1 - w * w, a.error);
        return of(a, std::asin(w), room > 0 ? 1 / std::sqrt(room) : 0);
      }
      case Code::absolute:
        return {std::abs(v), a.error, a.size};
      case Code::at_most:
        return {std::min(v, s.p), a.error + u_ * std::abs(s.p), std::max(a.size, std::abs(s.p))};
      case Code::at_least:
        return {std::max(v, s.p), a.error + u_ * std::abs(s.p), std::max(a.size, std::abs(s.p))};
      case Code::minimum:
      case Code::maximum:
        return {s.code == Code::minimum ? std::min(v, b.value) : std::max(v, b.value),
                std::max(a.error, b.error), std::max(a.size, b.size)};
      case Code::chi: {
        const double t = v - b.value;
        const double sum = v + b.value;
        const double c = t == 0 ? 0 : t * t / sum;
        return {c, t == 0 ? 0 : 2 * std::abs(t / sum) * (a.error + b.error) + u_ * std::abs(c),
                std::abs(c)};
      }
      default: {  // Matérn: it falls, near 0 with a slope that may have no bound
        const MaternTable& M = *plan_.tables[s.n];
        const double m = M(v);
        const double apart = std::max(M(std::max(0.0, v - a.error)) - m, m - M(v + a.error));
        return {m, apart + 2 * u_ * m, m};
      }
    }
  }

  // f(a) with the slope |f'(a)|
  [[nodiscard]] Number of(const Number& a, double v, double slope) const {
    return {v, a.error * slope + 2 * u_ * std::abs(v), std::abs(v)};
  }
  // What is left of a number below the smallest normal one may be nothing, and roots tell.
  [[nodiscard]] Number before_root(Number a) const {
    if (a.value != 0) a.error += smallest_;
    return a;
  }
  [[nodiscard]] Number root(const Number& from) const {
    const Number a = before_root(from);
    const double v = std::sqrt(std::max(0.0, a.value));
    const double in = v > 0 ? std::min(a.error / (2 * v), std::sqrt(a.error)) : std::sqrt(a.error);
    return {v, in + u_ * v, v};
  }
  [[nodiscard]] Number raised(const Number& from, double p) const {
    const Number a = before_root(from);
    if (a.value <= 0) return {0, std::pow(a.error, std::max(p, 0.0)), 0};
    const double v = std::pow(a.value, p);
    Number result = of(a, v, std::abs(p) * v / a.value);
    result.error += u_ * v * std::abs(p * std::log(a.value));
    return result;
  }
  [[nodiscard]] Number plus(const Number& a, const Number& b) const {
    const double v = a.value + b.value;
    return {v, a.error + b.error + u_ * std::abs(v), a.size + b.size};
  }
  [[nodiscard]] Number times(const Number& a, const Number& b) const {
    const double v = a.value * b.value;
    return {v,
            std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
                u_ * std::abs(v),
            a.size * b.size};
  }
  [[nodiscard]] Number times(const Number& a, double p) const {
    return {a.value * p, a.error * std::abs(p) + (p == 1 ? 0 : u_ * std::abs(a.value * p)),
            a.size * std::abs(p)};
  }

  Number loop(const Loop& loop) {
    std::vector<Number> sums(loop.own.size());
    if (loop.kind == Loop::Kind::product) sums[0] = {1, 0, 1};
    turns_.emplace_back(loop.source, 0);
    for (std::size_t k = 0; k < rows_[loop.source].size(); ++k) {
      turns_.back().second = k;
      run(loop.body);
      const Number v = registers_[loop.value];
      if (loop.kind == Loop::Kind::product) {
        sums[0] = times(sums[0], v);
      } else {
        for (std::size_t j = sums.size(); j-- > 0;)
          sums[j] = plus(sums[j], j > 0 ? times(v, sums[j - 1]) : v);
      }
    }
    turns_.pop_back();
    return sums.back();
  }

  const Plan& plan_;
  double u_;
  double smallest_;  // normal number
  std::vector<Number> registers_;
  std::vector<double> x_;
  std::vector<double> z_;
  std::vector<bool> equal_;  // which coordinates are, of points that are not sparse
  std::span<const double> centre_;
  std::vector<std::vector<double>> rows_;  // by source
  std::vector<std::vector<double>> columns_;
  std::vector<std::vector<double>> row_errors_;  // of functions of coordinates
  std::vector<std::vector<double>> column_errors_;
  std::vector<std::pair<std::uint32_t, std::size_t>> turns_;
  std::vector<Sum> sums_;
  Sum moved_;                                // the one that is, and by how much
  std::optional<PointFunctions> functions_;  // sparse
  std::pair<const Points*, std::size_t> whole_x_;
  std::pair<const Points*, std::size_t> whole_z_;
};

}  // namespace

double expected_error(const Plan& plan, const Points& x, const Points& z, bool same,
                      std::span<const double> centre, double roundoff) {
  if (x.rows() == 0 || z.rows() == 0) return 0;
  Analysis analysis(plan, roundoff);
  std::vector<std::vector<Number>> seen;
  constexpr std::size_t samples = 128;
  constexpr std::size_t step = 0x9E3779B1;  // visits rows in no particular order
  for (std::size_t k = 0; k < 2 * samples; ++k) {
    const std::size_t i = k / 2 * step % x.rows();
    const bool itself = same && k % 2 == 0 && k < samples;
    const std::size_t j = itself ? i : (k * step + k) % z.rows();
    try {
      analysis.points(x, i, z, j, centre);
      seen.push_back(analysis.run());
    } catch (const EvaluationError&) {
      continue;  // where there is no value, computing it will say so
    }
  }
  double worst = 0;
  for (std::size_t k = 0; k < plan.results.size(); ++k) {
    double largest = 0;
    for (const auto& numbers : seen) largest = std::max(largest, numbers[k].size);
    constexpr double small = 1e-5;
    for (const auto& numbers : seen) {
      constexpr double most = 1e37;  // near the largest float
      if (roundoff == single_roundoff && std::abs(numbers[k].value) > most)
        return std::numeric_limits<double>::infinity();
      const double size = numbers[k].size + small * largest;
      if (size > 0 && std::isfinite(numbers[k].error))
        worst = std::max(worst, numbers[k].error / size);
    }
  }
  return worst;
}

}  // namespace mercer::gram
