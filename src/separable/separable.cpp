// The decision: doubles find a candidate, exact or ball arithmetic proves it; where doubles do not
// suffice, the search goes on in rationals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mercer/error.hpp>
#include <mercer/separable.hpp>
#include <set>

#include "kernel/print.hpp"
#include "separable/certify.hpp"
#include "separable/decide.hpp"
#include "separable/interpolate.hpp"
#include "separable/spaces.hpp"

namespace mercer {

namespace separability {

namespace {

std::vector<double> point_of(const Table& table, std::size_t row) {
  std::vector<double> point(table.row(row).begin(), table.row(row).end());
  for (double& v : point) v += 0.0;  // -0 is 0
  return point;
}

}  // namespace

std::vector<std::size_t> clash(const Table& table, std::span<const int> y) {
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
std::vector<std::size_t> distinct(const Table& table) {
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

Separability balanced(const Nearest<Big>& nearest) {
  std::vector<std::pair<std::size_t, std::string>> parts;
  for (std::size_t i = 0; i < nearest.support.size(); ++i)
    parts.emplace_back(nearest.support[i], nearest.weights[i].text());
  std::ranges::sort(parts);
  std::vector<std::size_t> rows;
  std::vector<std::string> weights;
  for (auto& [row, weight] : parts) {
    rows.push_back(row);
    weights.push_back(std::move(weight));
  }
  return balanced(std::move(rows), std::move(weights));
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

Nearest<double> to_doubles(const Nearest<Big>& exact) {
  Nearest<double> result;
  result.support = exact.support;
  for (const auto& w : exact.weights) result.weights.push_back(w.to_double());
  for (const auto& v : exact.values) result.values.push_back(v.to_double());
  return result;
}

// What both kinds of features share. `separator` makes a proved separator of nearest points, or
// does not.
template <class MakeSeparator>
class Decision {
 public:
  Decision(const Features& features, std::span<const int> y, bool offset,
           Clock::time_point deadline, MakeSeparator separator)
      : features_(features), y_(y), offset_(offset), deadline_(deadline), separator_(separator) {}

  // A separator from doubles alone; else the nearest points found are kept for exact().
  std::optional<Separability> in_doubles(const Features& features) {
    DoubleSpace space(features, y_, offset_);
    nearest_ = nearest_in_doubles(space, deadline_);
    return separated(nearest_);
  }

  Separability exact() {
    const double gap = distance(nearest_);
    try {
      ExactSpace space(features_, y_, offset_);
      const auto nearest = nearest_exactly(space, nearest_, deadline_);
      if (is_balance(space, nearest)) return balanced(nearest);
      if (nearest.finished)
        if (auto answer = separated(to_doubles(nearest))) return *answer;
    } catch (const NotRational&) {
      return undecided(
          "inner products in feature space are not rational here, and neither a separator nor "
          "equal features were found",
          gap);
    }
    return undecided(
        Clock::now() > deadline_ ? "the time is up" : "the numbers are beyond what was tried", gap);
  }

 private:
  std::optional<Separability> separated(const Nearest<double>& nearest) {
    auto separator = separator_(nearest);
    if (!separator) return std::nullopt;
    Separability answer;
    answer.kind = Kind::separable;
    answer.separator = std::move(separator);
    return answer;
  }

  const Features& features_;
  std::span<const int> y_;
  bool offset_;
  Clock::time_point deadline_;
  MakeSeparator separator_;
  Nearest<double> nearest_;
};

Separator written(const Certified& certified) {
  Separator s;
  for (const auto& c : certified.rule.c) s.weights.push_back(c.text());
  s.offset = certified.rule.b.text();
  s.margin = certified.margin;
  s.largest_margin = certified.margin;
  s.exact = certified.exact;
  return s;
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
  for (std::size_t j = 0; j < map.coordinates.size(); ++j)
    terms.push_back({*Rational::from_decimal(answer.separator->weights[j]), map.coordinates[j]});
  answer.separator->formula = algebra::print(
      algebra::sum(std::move(terms), *Rational::from_decimal(answer.separator->offset)));
}

Separability decide(const std::vector<Point>& points, const Coordinates& coordinates,
                    std::span<const int> y, bool offset, Clock::time_point deadline) {
  MapFeatures features(points, coordinates, offset);
  const auto separator = [&](const MapFeatures& in, double bound) {
    return [&, bound](const Nearest<double>& nearest) -> std::optional<Separator> {
      const auto certified = short_rule(in, in.weights(nearest.support, signed_weights(nearest, y)),
                                        y, offset, deadline);
      if (!certified) return std::nullopt;
      Separator s = written(*certified);
      s.largest_margin = std::max(s.margin, bound > 0 ? bound : margin_of(nearest, offset));
      return s;
    };
  };
  Decision decision(features, y, offset, deadline, separator(features, 0));
  if (auto answer = decision.in_doubles(features)) return *answer;
  // Once more with all coordinates on one scale: where the margin is lost in rounding, or the
  // search stopped early.
  MapFeatures level(points, coordinates, offset);
  level.level_scales();
  constexpr double unknown = std::numeric_limits<double>::infinity();
  Decision again(features, y, offset, deadline, separator(level, unknown));
  if (auto answer = again.in_doubles(level)) return *answer;
  return again.exact();
}

}  // namespace separability

using namespace separability;

Separability separable(const Table& table, std::span<const int> y, std::string_view map,
                       const SeparableOptions& options) {
  const auto parsed = parse_map(map, static_cast<std::uint32_t>(table.columns), table.names);
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

Separability separable(const Table& table, std::span<const int> y, const Kernel& kernel,
                       const SeparableOptions& options) {
  Kernel k = kernel;
  if (k.has_named_columns()) {
    if (table.names.empty())
      throw Error("the kernel selects columns by name, but the data have no names");
    k = k.with_columns(table.names);
  }
  if (!k.open_parameters().empty())
    throw Error("the kernel has open parameters (" + k.text() + "): give them values");
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
  Decision decision(features, y, options.offset, deadline,
                    [&](const Nearest<double>& nearest) -> std::optional<Separator> {
                      const KernelFunctions h(features, nearest.support);
                      const auto certified =
                          short_rule(h, signed_weights(nearest, y), y, options.offset, deadline);
                      if (!certified) return std::nullopt;
                      Separator s = written(*certified);
                      s.largest_margin = std::max(s.margin, margin_of(nearest, options.offset));
                      return finish(std::move(s), nearest.support);
                    });
  if (auto answer = decision.in_doubles(features)) return *answer;
  Separability answer = decision.exact();
  if (answer.kind != Kind::undecided) return answer;
  if (const auto found = interpolate(features, y, distinct(table), deadline)) {
    answer = {};
    answer.kind = Kind::separable;
    answer.separator = finish(written(found->certified), found->rows);
    answer.separator->largest_margin = std::numeric_limits<double>::infinity();
  }
  return answer;
}

}  // namespace mercer
