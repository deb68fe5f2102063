#include "separable/features.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "kernel/evaluate.hpp"
#include "kernel/print.hpp"
#include "kernel/transform.hpp"

namespace mercer::separability {

namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

std::optional<std::vector<Big>> big(const std::vector<std::optional<Rational>>& values) {
  std::vector<Big> result;
  for (const auto& v : values) {
    if (!v) return std::nullopt;
    result.emplace_back(*v);
  }
  return result;
}

}  // namespace

std::vector<Point> exact_points(const Matrix& table) {
  std::vector<Point> points(table.rows);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (const double v : table.row(i)) points[i].push_back(Rational::from_double(v));
  return points;
}

Coordinate::Coordinate(Expr expression, const Matrix& table, const std::vector<Point>& points)
    : e(std::move(expression)), values(index(points.size())) {
  exact.reserve(points.size());
  bool rational = true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto value = rational ? proof::exact_value(e, points[i], points[i]) : std::nullopt;
    if (value) {
      values(index(i)) = value->to_double();
      exact.push_back(std::move(*value));
    } else {
      rational = false;
      try {
        values(index(i)) = algebra::evaluate(e, table.row(i), table.row(i));
      } catch (const EvaluationError& error) {
        throw EvaluationError("the feature " + algebra::print(e) + " in row " +
                              std::to_string(i + 1) + ": " + error.what());
      }
    }
    if (!std::isfinite(values(index(i))))
      throw EvaluationError("the feature " + algebra::print(e) + " in row " +
                            std::to_string(i + 1) + " is out of the range of doubles");
  }
  if (!rational) exact.clear();
}

// ---- φ written out

MapFeatures::MapFeatures(const std::vector<Point>& points, Coordinates coordinates, bool offset)
    : points_(&points),
      coordinates_(std::move(coordinates)),
      moved_(index(points.size()), index(coordinates_.size())),
      scales_(Eigen::VectorXd::Ones(index(coordinates_.size()))) {
  for (std::size_t j = 0; j < coordinates_.size(); ++j) {
    moved_.col(index(j)) = coordinates_[j]->values;
    if (offset) moved_.col(index(j)).array() -= moved_.col(index(j)).mean();
  }
}

void MapFeatures::level_scales() {
  for (Eigen::Index j = 0; j < moved_.cols(); ++j) {
    const double largest = moved_.col(j).cwiseAbs().maxCoeff();
    if (!(largest > 0)) continue;
    scales_(j) *= largest;
    moved_.col(j) /= largest;
  }
}

Eigen::VectorXd MapFeatures::products(std::size_t i) const {
  return moved_ * moved_.row(index(i)).transpose();
}

Eigen::VectorXd MapFeatures::squares() const { return moved_.rowwise().squaredNorm(); }

bool MapFeatures::rational() const {
  return std::ranges::all_of(coordinates_, [](const auto& c) { return !c->exact.empty(); });
}

std::optional<std::vector<Big>> MapFeatures::exact_products(std::size_t i) const {
  if (rational()) {
    if (!integers_) {
      std::vector<const std::vector<Rational>*> columns;
      for (const auto& c : coordinates_) columns.push_back(&c->exact);
      integers_ = std::make_unique<IntegerMatrix>(size(), columns);
    }
    return integers_->products(i);
  }
  // sqrt(2)*x1*x2 is no rational, its product with itself at two points is one.
  std::vector<std::optional<Rational>> totals(size(), Rational(0));
  for (const auto& c : coordinates_) {
    const Expr product = algebra::multiply(c->e, algebra::swap_sides(c->e));
    for (std::size_t k = 0; k < size(); ++k) {
      const auto value = proof::exact_value(product, (*points_)[i], (*points_)[k]);
      if (!value) return std::nullopt;
      *totals[k] += *value;
    }
  }
  return big(totals);
}

std::optional<Ball> MapFeatures::ball(std::size_t row, std::size_t j, long precision) const {
  return proof::ball_value(coordinates_[j]->e, (*points_)[row], (*points_)[row], precision);
}

double MapFeatures::norm(const std::vector<double>& c) const {
  double total = 0;
  for (const double v : c) total += v * v;
  return std::sqrt(total);
}

std::vector<double> MapFeatures::weights(const std::vector<std::size_t>& rows,
                                         const std::vector<double>& c) const {
  Eigen::VectorXd w = Eigen::VectorXd::Zero(moved_.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) w += c[k] * moved_.row(index(rows[k])).transpose();
  w.array() /= scales_.array();
  return {w.begin(), w.end()};
}

std::optional<std::vector<Big>> MapFeatures::exact_weights(const std::vector<std::size_t>& rows,
                                                           const std::vector<Big>& c) const {
  if (!rational()) return std::nullopt;
  std::vector<Big> w(count());
  for (std::size_t j = 0; j < w.size(); ++j)
    for (std::size_t k = 0; k < rows.size(); ++k)
      w[j] = w[j] + c[k] * Big(coordinates_[j]->exact[rows[k]]);
  return w;
}

// ---- φ behind a kernel

KernelFeatures::KernelFeatures(const Matrix& table, const std::vector<Point>& points, Kernel k,
                               bool offset)
    : table_(&table),
      points_(&points),
      kernel_(std::move(k)),
      diagonal_(algebra::diagonal(kernel_.expression())) {
  if (!offset) return;
  Eigen::VectorXd first(index(size()));
  for (std::size_t j = 0; j < size(); ++j) first(index(j)) = value(0, j);
  first_ = first;
}

Eigen::VectorXd KernelFeatures::products(std::size_t i) const {
  Eigen::VectorXd result(index(size()));
  for (std::size_t j = 0; j < size(); ++j) {
    result(index(j)) = value(i, j);
    if (first_.size() > 0) result(index(j)) += first_(0) - first_(index(i)) - first_(index(j));
  }
  return result;
}

Eigen::VectorXd KernelFeatures::squares() const {
  Eigen::VectorXd result(index(size()));
  for (std::size_t j = 0; j < size(); ++j) {
    result(index(j)) = value(j, j);
    if (first_.size() > 0) result(index(j)) += first_(0) - 2 * first_(index(j));
  }
  return result;
}

std::optional<std::vector<Big>> KernelFeatures::exact_products(std::size_t i) const {
  std::vector<std::optional<Rational>> values;
  for (std::size_t j = 0; j < size(); ++j) {
    values.push_back(exact(i, j));
    if (!values.back()) return std::nullopt;
  }
  return big(values);
}

double KernelFeatures::value(std::size_t i, std::size_t j) const {
  try {
    return kernel_(table_->row(i), table_->row(j));
  } catch (const EvaluationError& error) {
    throw EvaluationError("rows " + std::to_string(i + 1) + " and " + std::to_string(j + 1) + ": " +
                          error.what());
  }
}

std::optional<Rational> KernelFeatures::exact(std::size_t i, std::size_t j) const {
  return proof::exact_value(kernel_.expression(), (*points_)[i], (*points_)[j]);
}

std::optional<Ball> KernelFeatures::ball(std::size_t i, std::size_t j, long precision) const {
  // At equal points |x-z| is 0, where balls only know it to be near 0: roots of that are not
  // defined.
  const Expr& e = (*points_)[i] == (*points_)[j] ? diagonal_ : kernel_.expression();
  return proof::ball_value(e, (*points_)[i], (*points_)[j], precision);
}

KernelFunctions::KernelFunctions(const KernelFeatures& features, std::vector<std::size_t> rows,
                                 std::chrono::steady_clock::time_point deadline)
    : features_(&features),
      rows_(std::move(rows)),
      values_(index(features.size()), index(rows_.size())) {
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    rational_ = rational_ && std::chrono::steady_clock::now() < deadline;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto exact = rational_ ? features.exact(rows_[j], i) : std::nullopt;
      if (!exact) rational_ = false;
      values_(index(i), index(j)) = exact ? exact->to_double() : features.value(rows_[j], i);
    }
  }
}

double KernelFunctions::norm(const std::vector<double>& c) const {
  double total = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < rows_.size(); ++j)
      total += c[i] * c[j] * values_(index(rows_[i]), index(j));
  return std::sqrt(std::max(total, 0.0));
}

}  // namespace mercer::separability
