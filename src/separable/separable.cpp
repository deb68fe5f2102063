// The decision: doubles find a candidate, exact or ball arithmetic proves it; where doubles do not
// suffice, the search goes on in rationals.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mercer/error.hpp>
#include <mercer/separable.hpp>
#include <set>

#include "kernel/elaborate.hpp"
#include "kernel/print.hpp"
#include "separable/certify.hpp"
#include "separable/decide.hpp"
#include "separable/interpolate.hpp"
#include "separable/spaces.hpp"

namespace mercer {

namespace separability {

namespace {

std::vector<double> point_of(const Matrix& table, std::size_t row) {
  std::vector<double> point(table.row(row).begin(), table.row(row).end());
  for (double& v : point) v += 0.0;  // -0 is 0
  return point;
}

}  // namespace

void refuse_too_large(const Matrix& table, std::size_t features) {
  constexpr double most = 2e7;
  if (static_cast<double>(table.rows) * static_cast<double>(features) <= most) return;
  throw Error(std::to_string(table.rows) + " rows with " + std::to_string(features) +
              " features are more than exact arithmetic is done with here (20 million numbers); "
              "take a part of the rows");
}

std::vector<std::size_t> clash(const Matrix& table, std::span<const int> y) {
  std::map<std::vector<double>, std::size_t> first;
  for (std::size_t i = 0; i < table.rows; ++i) {
    const auto [at, fresh] = first.emplace(point_of(table, i), i);
    if (!fresh && y[at->second] != y[i]) return {at->second, i};
  }
  return {};
}

namespace {

using Kind = Separability::Kind;

// The rows without repetitions.
std::vector<std::size_t> distinct(const Matrix& table) {
  std::set<std::vector<double>> seen;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows; ++i)
    if (seen.insert(point_of(table, i)).second) rows.push_back(i);
  return rows;
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(std::min(seconds, 1e8)));
}

Separability balanced(std::vector<std::size_t> rows, std::vector<std::string> weights) {
  Separability answer;
  answer.kind = Kind::not_separable;
  answer.balance = Balance{std::move(rows), std::move(weights)};
  return answer;
}

Separability clashing(const std::vector<std::size_t>& same, bool offset) {
  const std::string weight = offset ? "1" : "1/2";
  return balanced(same, {weight, weight});
}

Nearest<double> nearest_in_doubles(DoubleSpace& space, Clock::time_point deadline) {
  const auto support = space.start();
  return Search<DoubleSpace>(space, deadline)
      .run(support, std::vector<double>(support.size(), 1.0));
}

double distance(const Nearest<double>& nearest) {
  double square = 0;
  for (std::size_t i = 0; i < nearest.support.size(); ++i)
    square += nearest.weights[i] * nearest.values[nearest.support[i]];
  return std::sqrt(std::max(square, 0.0));
}

// The search goes on in rationals from where doubles left it.
Nearest<Big> nearest_exactly(ExactSpace& space, const Nearest<double>& from,
                             Clock::time_point deadline) {
  std::vector<Big> weights;
  std::vector<Big> sums(space.groups(), Big(0));
  for (std::size_t i = 0; i < from.support.size(); ++i) {
    weights.push_back(Big::exactly(from.weights[i]));
    Big& sum = sums[space.group(from.support[i])];
    sum = sum + weights.back();
  }
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = weights[i] / sums[space.group(from.support[i])];
  return Search<ExactSpace>(space, deadline).run(from.support, std::move(weights));
}

bool all_zero(const std::vector<Big>& values) {
  return std::ranges::all_of(values, [](const Big& v) { return v.sign() == 0; });
}

// a >= 0 with sums 1 and Qa = 0, all of it looked at once more.
bool is_balance(const ExactSpace& space, const Nearest<Big>& nearest) {
  std::vector<Big> sums(space.groups(), Big(0));
  for (std::size_t i = 0; i < nearest.support.size(); ++i) {
    if (nearest.weights[i].sign() <= 0) return false;
    Big& sum = sums[space.group(nearest.support[i])];
    sum = sum + nearest.weights[i];
  }
  return all_zero(nearest.values) &&
         std::ranges::all_of(sums, [](const Big& s) { return s == Big(1); });
}

template <class Value>
struct InOrder {
  std::vector<std::size_t> rows;
  std::vector<Value> values;
};

// Rows ascending, and what belongs to them.
template <class Value>
InOrder<Value> in_order(const std::vector<std::size_t>& rows, const std::vector<Value>& values) {
  std::vector<std::pair<std::size_t, Value>> parts;
  for (std::size_t i = 0; i < rows.size(); ++i) parts.emplace_back(rows[i], values[i]);
  std::ranges::sort(parts);
  InOrder<Value> result;
  for (auto& [row, value] : parts) {
    result.rows.push_back(row);
    result.values.push_back(std::move(value));
  }
  return result;
}

Separability balanced(const Nearest<Big>& nearest) {
  std::vector<std::string> weights;
  for (const auto& w : nearest.weights) weights.push_back(w.text());
  auto [rows, texts] = in_order(nearest.support, weights);
  return balanced(std::move(rows), std::move(texts));
}

Separability undecided(std::string reason, double gap) {
  Separability answer;
  answer.reason = std::move(reason);
  answer.gap = gap;
  return answer;
}

std::vector<double> signed_weights(const Nearest<double>& nearest, std::span<const int> y) {
  std::vector<double> c;
  for (std::size_t i = 0; i < nearest.support.size(); ++i)
    c.push_back(nearest.weights[i] * y[nearest.support[i]]);
  return c;
}

Separator written(const Certified& certified) {
  Separator s;
  for (const auto& c : certified.rule.c) s.weights.push_back(c.text());
  s.offset = certified.rule.b.text();
  s.margin = certified.margin;
  s.largest_margin = certified.margin;
  s.exact = certified.exact;
  return s;
}

Separability separated(Separator separator) {
  Separability answer;
  answer.kind = Kind::separable;
  answer.separator = std::move(separator);
  return answer;
}

// The answer in rationals, from where doubles left off. `separator` writes down what exactly
// nearest points say, and proves it.
Separability decide_exactly(
    const Features& features, std::span<const int> y, bool offset, const Nearest<double>& from,
    Clock::time_point deadline,
    const std::function<std::optional<Separator>(const Nearest<Big>&)>& separator) {
  const double gap = distance(from);
  const std::string late = "the time is up";
  if (Clock::now() > deadline) return undecided(late, gap);
  try {
    ExactSpace space(features, y, offset, deadline);
    const auto nearest = nearest_exactly(space, from, deadline);
    if (is_balance(space, nearest)) return balanced(nearest);
    if (nearest.finished)
      if (auto found = separator(nearest)) return separated(std::move(*found));
  } catch (const TimeUp&) {
    return undecided(late, gap);
  } catch (const NotRational&) {
    return undecided(
        "inner products in feature space are not rational here, and neither a separator nor equal "
        "points were found",
        gap);
  }
  return undecided(Clock::now() > deadline ? late : "the numbers are beyond what was tried", gap);
}

std::vector<Big> signed_weights(const Nearest<Big>& nearest, std::span<const int> y) {
  std::vector<Big> c;
  for (std::size_t i = 0; i < nearest.support.size(); ++i)
    c.push_back(y[nearest.support[i]] > 0 ? nearest.weights[i] : Big(0) - nearest.weights[i]);
  return c;
}

// The margin of nearest points found in doubles: half the distance of the hulls.
double margin_of(const Nearest<double>& nearest, bool offset) {
  return offset ? distance(nearest) / 2 : distance(nearest);
}

void refuse_indefinite(const KernelFeatures& features, const Kernel& k, std::size_t rows) {
  constexpr std::size_t most = 600;
  const std::size_t n = std::min(rows, most);
  const auto pick = [&](std::size_t i) { return i * rows / n; };
  Eigen::MatrixXd K(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      K(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          features.value(pick(i), pick(j));
  const double size = K.cwiseAbs().maxCoeff();
  const std::string remedy = " (mercer prove '" + k.text() + "' may tell why)";
  if ((K - K.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size)
    throw Error(k.text() + " is not symmetric on these points, so that it is no kernel" + remedy);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K, Eigen::EigenvaluesOnly).eigenvalues();
  if (values(0) < -1e-9 * static_cast<double>(n) * size)
    throw Error(k.text() + " is not a kernel: its matrix on these points has the eigenvalue " +
                std::to_string(values(0)) + ", so that there is no feature space" + remedy);
}

}  // namespace

void name_features(Separability& answer, const ExplicitMap& map) {
  answer.features = map.texts;
  if (!answer.separator) return;
  answer.separator->functions = map.texts;
  std::vector<algebra::Term> terms;
  terms.reserve(map.coordinates.size());
  for (std::size_t j = 0; j < map.coordinates.size(); ++j)
    terms.push_back({algebra::constant_from(answer.separator->weights[j]), map.coordinates[j]});
  answer.separator->formula =
      algebra::print(algebra::sum(terms, algebra::constant_from(answer.separator->offset)));
}

Separability decide(const std::vector<Point>& points, const Coordinates& coordinates,
                    std::span<const int> y, bool offset, Clock::time_point deadline) {
  MapFeatures features(points, coordinates, offset);
  Nearest<double> nearest;
  constexpr double unknown = std::numeric_limits<double>::infinity();
  // Once more with all coordinates on one scale: where the margin was lost in rounding, or the
  // search stopped early.
  for (const bool level : {false, true}) {
    if (level) features.level_scales();
    DoubleSpace space(features, y, offset);
    nearest = nearest_in_doubles(space, deadline);
    const auto w = features.weights(nearest.support, signed_weights(nearest, y));
    if (const auto rule = short_rule(features, w, y, offset, deadline)) {
      Separator s = written(*rule);
      s.largest_margin = level ? unknown : std::max(s.margin, margin_of(nearest, offset));
      return separated(std::move(s));
    }
  }
  return decide_exactly(features, y, offset, nearest, deadline,
                        [&](const Nearest<Big>& found) -> std::optional<Separator> {
                          const auto w =
                              features.exact_weights(found.support, signed_weights(found, y));
                          if (!w) return std::nullopt;
                          const auto rule = long_rule(features, *w, y, offset, deadline);
                          return rule ? std::optional(written(*rule)) : std::nullopt;
                        });
}

}  // namespace separability

using namespace separability;

Separability separable(const Matrix& table, std::span<const int> y, std::string_view map,
                       const SeparableOptions& options) {
  const auto parsed = parse_map(map, static_cast<std::uint32_t>(table.columns), table.names);
  refuse_too_large(table, std::max(table.columns, parsed.coordinates.size()));
  const auto deadline = after(options.timeout);
  const auto points = exact_points(table);
  Coordinates coordinates;
  for (const auto& e : parsed.coordinates)
    coordinates.push_back(std::make_shared<const Coordinate>(e, table, points));
  const auto same = clash(table, y);
  Separability answer = same.empty() ? decide(points, coordinates, y, options.offset, deadline)
                                     : clashing(same, options.offset);
  name_features(answer, parsed);
  return answer;
}

Separability separable(const Matrix& table, std::span<const int> y, const Kernel& kernel,
                       const SeparableOptions& options) {
  Kernel k = kernel;
  if (k.has_named_columns()) {
    if (table.names.empty())
      throw Error("the kernel selects columns by name, but the data have no names");
    k = k.with_columns(table.names);
  }
  if (!k.open_parameters().empty())
    throw Error("the kernel has open parameters (" + k.text() + "): give them values");
  refuse_too_large(table, table.columns);
  const auto deadline = after(options.timeout);
  const auto points = exact_points(table);
  const KernelFeatures features(table, points, k, options.offset);
  refuse_indefinite(features, k, table.rows);
  const auto same = clash(table, y);
  if (!same.empty()) return clashing(same, options.offset);

  const auto finish = [&](Separator s, const std::vector<std::size_t>& rows) {
    s.rows = rows;
    for (const auto row : rows) s.functions.push_back("k(x_" + std::to_string(row + 1) + ", x)");
    return s;
  };
  DoubleSpace space(features, y, options.offset);
  const auto nearest = nearest_in_doubles(space, deadline);
  const auto [rows, c] = in_order(nearest.support, signed_weights(nearest, y));
  const KernelFunctions h(features, rows, deadline);
  if (const auto rule = short_rule(h, c, y, options.offset, deadline)) {
    Separator s = written(*rule);
    s.largest_margin = std::max(s.margin, margin_of(nearest, options.offset));
    return separated(finish(std::move(s), rows));
  }
  Separability answer = decide_exactly(
      features, y, options.offset, nearest, deadline,
      [&](const Nearest<Big>& found) -> std::optional<Separator> {
        const KernelFunctions exact(features, found.support, deadline);
        const auto rule = long_rule(exact, signed_weights(found, y), y, options.offset, deadline);
        return rule ? std::optional(finish(written(*rule), found.support)) : std::nullopt;
      });
  if (answer.kind != Kind::undecided) return answer;
  if (const auto found = interpolate(features, y, distinct(table), deadline)) {
    answer = separated(finish(written(found->certified), found->rows));
    answer.separator->largest_margin = std::numeric_limits<double>::infinity();
  }
  return answer;
}

}  // namespace mercer
