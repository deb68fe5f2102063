#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernel/domain_body.hpp"
#include "proof/candidates.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Points in doubles that move; at the end they are rounded to short fractions.
class Walk {
 public:
  Walk(Search& search, std::size_t n) : search_(search), points_(n), K_(n, n) {
    const auto& body = search.domain().body();
    const auto bounds = search.domain().bounds();
    low_ = bounds.low;
    high_ = bounds.high;
    whole_ = body.kind == Domain::Kind::integers || body.kind == Domain::Kind::naturals;
    if (body.kind == Domain::Kind::naturals) low_ = 1;
    if (body.kind == Domain::Kind::ball) radius_ = body.radius.to_double();
  }

  // At random, spread by about `scale`.
  void start(std::mt19937_64& random, double scale) {
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    for (auto& p : points_) {
      p.assign(search_.dimension(), 0);
      for (double& v : p) {
        if (std::isfinite(low_) && std::isfinite(high_)) {
          v = low_ + (high_ - low_) * (0.01 + 0.98 * uniform());
        } else {
          v = scale * (uniform() + uniform() + uniform() - 1.5) * 2;
          if (std::isfinite(low_)) v = low_ + std::abs(v);
          if (std::isfinite(high_)) v = high_ - std::abs(v);
        }
        if (whole_) v = std::round(v);
      }
      confine(p);
    }
    for (std::size_t i = 0; i < points_.size(); ++i) fill(i);
    now_ = depth();
    step_ = std::isfinite(high_ - low_) ? (high_ - low_) / 4 : scale;
  }

  void descend() {
    for (int shrinks = 0; shrinks < 6 && now_ > -0.02 && !search_.over();) {
      bool better = false;
      for (std::size_t i = 0; i < points_.size(); ++i)
        for (std::size_t c = 0; c < points_[i].size(); ++c)
          for (const double by : {step_, -step_}) {
            const auto kept = points_[i];
            const Eigen::VectorXd row = K_.row(static_cast<Eigen::Index>(i));
            points_[i][c] += whole_ ? std::copysign(std::max(1.0, std::round(step_)), by) : by;
            confine(points_[i]);
            fill(i);
            const double there = depth();
            if (there < now_ - 1e-12) {
              now_ = there;
              better = true;
            } else {
              points_[i] = kept;
              K_.row(static_cast<Eigen::Index>(i)) = row.transpose();
              K_.col(static_cast<Eigen::Index>(i)) = row;
            }
          }
      if (better) continue;
      step_ /= 2;
      ++shrinks;
    }
  }

  [[nodiscard]] double now() const { return now_; }

  // As fractions with so many parts of a unit.
  [[nodiscard]] std::vector<Point> rational(std::int64_t parts) const {
    std::vector<Point> result;
    for (const auto& p : points_) {
      Point q;
      for (const double v : p)
        q.emplace_back(static_cast<std::int64_t>(std::llround(v * static_cast<double>(parts))),
                       parts);
      if (contains(search_.domain(), q) && std::ranges::find(result, q) == result.end())
        result.push_back(std::move(q));
    }
    return result;
  }

 private:
  void confine(std::vector<double>& p) const {
    for (double& v : p) {
      const double margin = std::isfinite(high_ - low_) ? (high_ - low_) * 1e-3 : 1e-3;
      if (v < low_) v = low_ + (whole_ ? 0 : margin);
      if (v > high_) v = high_ - (whole_ ? 0 : margin);
    }
    if (radius_ == 0) return;
    double squared = 0;
    for (const double v : p) squared += v * v;
    const double limit = 0.999 * radius_;
    if (squared > limit * limit)
      for (double& v : p) v *= limit / std::sqrt(squared);
  }

  void fill(std::size_t i) {
    for (std::size_t j = 0; j < points_.size(); ++j)
      K_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          K_(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) =
              search_.value(points_[i], points_[j]);
  }

  double depth() {
    if (!K_.allFinite()) return infinite;
    if (K_.diagonal().minCoeff() < 0) return -1;
    const auto least = search_.least(K_);
    return least ? least->eigenvalue : infinite;
  }

  Search& search_;
  std::vector<std::vector<double>> points_;
  Eigen::MatrixXd K_;
  double low_ = 0;
  double high_ = 0;
  double radius_ = 0;
  bool whole_ = false;
  double now_ = 0;
  double step_ = 1;
};

}  // namespace

std::optional<Witness> descent(Search& search) {
  const auto kind = search.domain().kind();
  if (kind == Domain::Kind::sphere || kind == Domain::Kind::finite) return std::nullopt;
  search.allow(200e6);
  std::mt19937_64 random(17);
  constexpr std::array<double, 4> spreads{1, 3, 0.3, 10};
  for (std::size_t round = 0; round < 400 && !search.over(); ++round) {
    Walk walk(search, 3 + round % 4);
    walk.start(random, spreads[round / 4 % spreads.size()]);
    walk.descend();
    if (walk.now() > -1e-9) continue;
    for (const std::int64_t parts : {10, 100, 1000, 1'000'000})
      if (auto w = search.on(walk.rational(parts))) return w;
  }
  return std::nullopt;
}

}  // namespace mercer::proof
