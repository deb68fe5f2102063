// The two arithmetics in which nearest points are searched: doubles and rationals.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "separable/features.hpp"
#include "separable/nearest.hpp"

namespace mercer::separability {

// Groups: the classes, or all points in one.
class Groups {
 public:
  Groups(std::span<const int> y, bool offset) : y_(y), offset_(offset) {}
  [[nodiscard]] std::size_t size() const { return y_.size(); }
  [[nodiscard]] std::size_t groups() const { return offset_ ? 2 : 1; }
  [[nodiscard]] std::size_t group(std::size_t i) const { return offset_ && y_[i] < 0 ? 1 : 0; }
  [[nodiscard]] int y(std::size_t i) const { return y_[i]; }

 private:
  std::span<const int> y_;
  bool offset_;
};

class DoubleSpace : public Groups {
 public:
  using Number = double;

  DoubleSpace(const Features& features, std::span<const int> y, bool offset);

  [[nodiscard]] std::optional<std::vector<double>> minimiser(const std::vector<std::size_t>& S);
  [[nodiscard]] static std::optional<std::vector<double>> dependency(
      const std::vector<std::size_t>&) {
    return std::nullopt;
  }
  [[nodiscard]] std::vector<double> values(const std::vector<std::size_t>& S,
                                           const std::vector<double>& a);
  [[nodiscard]] static bool positive(double weight) { return weight > 1e-14; }
  [[nodiscard]] bool below(double value, double level) const {
    return value < level - 1e-15 * scale_;
  }
  [[nodiscard]] bool improves(double now, double before) const {
    return now < before * (1 - 1e-13) - 1e-17 * scale_;
  }

  // One point of each group, near to each other.
  [[nodiscard]] std::vector<std::size_t> start();
  [[nodiscard]] double scale() const { return scale_; }  // the largest |φ(x_i)|²

 private:
  const Eigen::VectorXd& column(std::size_t i);

  const Features& features_;
  double scale_;
  std::map<std::size_t, Eigen::VectorXd> columns_;  // of Q
};

// Thrown where an inner product is not a rational number.
class NotRational : public std::exception {};

// Thrown where the time is up, or would be before a system of equations is solved.
class TimeUp : public std::exception {};

class ExactSpace : public Groups {
 public:
  using Number = Big;

  ExactSpace(const Features& features, std::span<const int> y, bool offset,
             Clock::time_point deadline)
      : Groups(y, offset), features_(features), deadline_(deadline) {}

  [[nodiscard]] std::optional<std::vector<Big>> minimiser(const std::vector<std::size_t>& S);
  [[nodiscard]] std::optional<std::vector<Big>> dependency(const std::vector<std::size_t>& S);
  [[nodiscard]] std::vector<Big> values(const std::vector<std::size_t>& S,
                                        const std::vector<Big>& a);
  [[nodiscard]] static bool positive(const Big& weight) { return weight.sign() > 0; }
  [[nodiscard]] static bool below(const Big& value, const Big& level) { return value < level; }
  [[nodiscard]] static bool improves(const Big& now, const Big& before) { return now < before; }

 private:
  const BigVector& column(std::size_t i);
  // Elimination cannot be interrupted: it is not begun where it would not end in time.
  void check_time(const std::vector<std::size_t>& S, double nanoseconds);

  const Features& features_;
  Clock::time_point deadline_;
  std::map<std::size_t, BigVector> columns_;  // of Q
};

}  // namespace mercer::separability
