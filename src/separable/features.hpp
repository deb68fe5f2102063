// The points φ(x_1) … φ(x_n), known through their inner products; and the functions that a
// separator is written in.
#pragma once

#include <Eigen/Dense>
#include <chrono>
#include <memory>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <optional>
#include <vector>

#include "proof/point_value.hpp"
#include "separable/big.hpp"
#include "separable/explicit_map.hpp"

namespace mercer::separability {

using proof::Ball;
using proof::Point;

// Functions h_1 … h_m on the rows: coordinates of φ, or k(x_j, ·). f = Σ c_j h_j + b.
class Functions {
 public:
  Functions() = default;
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  virtual ~Functions() = default;

  [[nodiscard]] virtual std::size_t count() const = 0;
  // In doubles; where all values are rational, the nearest ones.
  [[nodiscard]] virtual double value(std::size_t row, std::size_t j) const = 0;
  [[nodiscard]] virtual bool rational() const = 0;
  [[nodiscard]] virtual std::optional<Rational> exact(std::size_t row, std::size_t j) const = 0;
  [[nodiscard]] virtual std::optional<Ball> ball(std::size_t row, std::size_t j,
                                                 long precision) const = 0;
  // |w| for w = Σ c_j h_j
  [[nodiscard]] virtual double norm(const std::vector<double>& c) const = 0;
};

class Features {
 public:
  Features() = default;
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
  virtual ~Features() = default;

  [[nodiscard]] virtual std::size_t size() const = 0;
  // φ(x_i)·φ(x_j) for all j. With an offset, φ may be moved as a whole: nothing else changes, and
  // less is lost to rounding.
  [[nodiscard]] virtual Eigen::VectorXd products(std::size_t i) const = 0;
  // |φ(x_i)|², moved likewise, for all i
  [[nodiscard]] virtual Eigen::VectorXd squares() const = 0;
  // The same products exactly, up to a positive factor that is the same for all i; nullopt where it
  // leaves the rationals.
  [[nodiscard]] virtual std::optional<std::vector<Big>> exact_products(std::size_t i) const = 0;
};

// The rows as exact points: decimals as they print.
std::vector<Point> exact_points(const Matrix& table);

// A coordinate of φ on all rows.
struct Coordinate {
  Coordinate(Expr expression, const Matrix& table, const std::vector<Point>& points);
  Expr e;
  Eigen::VectorXd values;
  std::vector<Rational> exact;  // empty where one of them leaves the rationals
};
using Coordinates = std::vector<std::shared_ptr<const Coordinate>>;

// φ written out.
class MapFeatures final : public Features, public Functions {
 public:
  MapFeatures(const std::vector<Point>& points, Coordinates coordinates, bool offset);

  // Each coordinate divided by its largest value: another metric, the same question. For what is
  // computed in doubles only.
  void level_scales();

  [[nodiscard]] std::size_t size() const override { return points_->size(); }
  [[nodiscard]] Eigen::VectorXd products(std::size_t i) const override;
  [[nodiscard]] Eigen::VectorXd squares() const override;
  [[nodiscard]] std::optional<std::vector<Big>> exact_products(std::size_t i) const override;

  [[nodiscard]] std::size_t count() const override { return coordinates_.size(); }
  [[nodiscard]] double value(std::size_t row, std::size_t j) const override {
    return coordinates_[j]->values(static_cast<Eigen::Index>(row));
  }
  [[nodiscard]] bool rational() const override;
  [[nodiscard]] std::optional<Rational> exact(std::size_t row, std::size_t j) const override {
    const auto& exact = coordinates_[j]->exact;
    return exact.empty() ? std::optional<Rational>() : exact[row];
  }
  [[nodiscard]] std::optional<Ball> ball(std::size_t row, std::size_t j,
                                         long precision) const override;
  [[nodiscard]] double norm(const std::vector<double>& c) const override;

  // w = Σ c_i φ(x_i) over some rows, for the metric in use.
  [[nodiscard]] std::vector<double> weights(const std::vector<std::size_t>& rows,
                                            const std::vector<double>& c) const;
  // The same exactly, in φ's own metric; nullopt where a coordinate leaves the rationals.
  [[nodiscard]] std::optional<std::vector<Big>> exact_weights(const std::vector<std::size_t>& rows,
                                                              const std::vector<Big>& c) const;

 private:
  const std::vector<Point>* points_;
  Coordinates coordinates_;
  Eigen::MatrixXd moved_;  // values about their mean (with an offset), divided by scales_
  Eigen::VectorXd scales_;
  mutable std::unique_ptr<IntegerMatrix> integers_;  // made when first asked for
};

// φ behind a kernel.
class KernelFeatures final : public Features {
 public:
  KernelFeatures(const Matrix& table, const std::vector<Point>& points, Kernel k, bool offset);

  [[nodiscard]] std::size_t size() const override { return table_->rows; }
  [[nodiscard]] Eigen::VectorXd products(std::size_t i) const override;
  [[nodiscard]] Eigen::VectorXd squares() const override;
  [[nodiscard]] std::optional<std::vector<Big>> exact_products(std::size_t i) const override;

  [[nodiscard]] double value(std::size_t i, std::size_t j) const;
  [[nodiscard]] std::optional<Rational> exact(std::size_t i, std::size_t j) const;
  [[nodiscard]] std::optional<Ball> ball(std::size_t i, std::size_t j, long precision) const;

 private:
  const Matrix* table_;
  const std::vector<Point>* points_;
  Kernel kernel_;
  Expr diagonal_;          // k(x, x)
  Eigen::VectorXd first_;  // k(x_1, x_j), to move φ(x_1) to the origin; empty without an offset
};

// k(x_j, ·) for some rows j.
class KernelFunctions final : public Functions {
 public:
  // Exactly where there is time for that; then in doubles.
  KernelFunctions(const KernelFeatures& features, std::vector<std::size_t> rows,
                  std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] std::size_t count() const override { return rows_.size(); }
  [[nodiscard]] double value(std::size_t row, std::size_t j) const override {
    return values_(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(j));
  }
  [[nodiscard]] bool rational() const override { return rational_; }
  [[nodiscard]] std::optional<Rational> exact(std::size_t row, std::size_t j) const override {
    return features_->exact(rows_[j], row);
  }
  [[nodiscard]] std::optional<Ball> ball(std::size_t row, std::size_t j,
                                         long precision) const override {
    return features_->ball(rows_[j], row, precision);
  }
  [[nodiscard]] double norm(const std::vector<double>& c) const override;

 private:
  const KernelFeatures* features_;
  std::vector<std::size_t> rows_;
  Eigen::MatrixXd values_;
  bool rational_ = true;
};

}  // namespace mercer::separability
