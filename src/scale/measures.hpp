// The spectral measures of nodes of kernels: each draws frequencies of its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "scale/spectrum.hpp"

namespace mercer::scale {

using Which = std::vector<std::size_t>;  // coordinates, from 0

// Normal vectors on some coordinates; orthogonal in groups of as many as there are coordinates.
class Directions {
 public:
  Directions(std::size_t size, bool orthogonal) : size_(size), orthogonal_(orthogonal) {}

  const double* next(Draws& draws) {
    if (!orthogonal_) {
      rows_.resize(size_);
      for (double& v : rows_) v = draws.normal();
      return rows_.data();
    }
    if (at_ == 0) renew(draws);
    const double* row = rows_.data() + at_ * size_;
    at_ = (at_ + 1) % size_;
    return row;
  }

 private:
  // Gram and Schmidt, twice; then each gets the length of a normal vector of its own.
  void renew(Draws& draws) {
    rows_.resize(size_ * size_);
    for (double& v : rows_) v = draws.normal();
    for (std::size_t i = 0; i < size_; ++i) {
      double* row = rows_.data() + i * size_;
      for (int again = 0; again < 2; ++again)
        for (std::size_t j = 0; j < i; ++j) {
          const double* other = rows_.data() + j * size_;
          double dot = 0;
          for (std::size_t c = 0; c < size_; ++c) dot += row[c] * other[c];
          for (std::size_t c = 0; c < size_; ++c) row[c] -= dot * other[c];
        }
      double square = 0;
      for (std::size_t c = 0; c < size_; ++c) square += row[c] * row[c];
      for (std::size_t c = 0; c < size_; ++c) row[c] /= std::sqrt(square);
    }
    for (std::size_t i = 0; i < size_; ++i) {
      double square = 0;
      for (std::size_t c = 0; c < size_; ++c) {
        const double v = draws.normal();
        square += v * v;
      }
      for (std::size_t c = 0; c < size_; ++c) rows_[i * size_ + c] *= std::sqrt(square);
    }
  }

  std::size_t size_;
  bool orthogonal_;
  std::size_t at_ = 0;
  std::vector<double> rows_;
};

// |x-z|², |x-z|_1 or |x-z| of some coordinates, times a number.
struct Distance {
  enum class Kind { squared, absolute, euclidean };
  Kind kind = Kind::squared;
  double factor = 1;
  Which which;
};

// exp(-τ Σ distances), τ = 1 or Gamma(shape) or, for matern, that of 1/Gamma.
class Exponential final : public Measure {
 public:
  enum class Width { one, gamma, inverse_gamma };
  Exponential(std::vector<Distance> distances, Width width, double shape, bool orthogonal)
      : distances_(std::move(distances)), width_(width), shape_(shape) {
    for (const auto& d : distances_) directions_.emplace_back(d.which.size(), orthogonal);
  }

  [[nodiscard]] bool has_directions() const override {
    return std::ranges::any_of(distances_, [](const Distance& d) {
      return d.kind != Distance::Kind::absolute && d.which.size() > 1;
    });
  }

  void draw(Draws& draws, std::span<double> omega) override {
    double tau = 1;
    if (width_ == Width::gamma) tau = draws.gamma(shape_);
    if (width_ == Width::inverse_gamma) tau = 1 / draws.gamma(shape_);
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      const Distance& d = distances_[i];
      const double c = tau * d.factor;
      if (d.kind == Distance::Kind::absolute) {
        for (const std::size_t j : d.which)
          omega[j] += c * std::tan(std::numbers::pi * (draws.uniform() - 0.5));
        continue;
      }
      const double size =
          d.kind == Distance::Kind::squared ? std::sqrt(2 * c) : c / std::abs(nonzero(draws));
      const double* g = directions_[i].next(draws);
      for (std::size_t j = 0; j < d.which.size(); ++j) omega[d.which[j]] += size * g[j];
    }
  }

 private:
  static double nonzero(Draws& draws) {
    double v = 0;
    while (v == 0) v = draws.normal();
    return v;
  }

  std::vector<Distance> distances_;
  Width width_;
  double shape_;
  std::vector<Directions> directions_;
};

// exp(-s sin(b (x_i - z_i))²) = exp(κ cos(2b(x_i - z_i)) - κ) with κ = s/2: its frequencies are
// 2bn, n the difference of two Poisson numbers of mean κ/2.
class Periodic final : public Measure {
 public:
  Periodic(double s, double b, Which which) : kappa_(s / 2), b_(b), which_(std::move(which)) {}
  void draw(Draws& draws, std::span<double> omega) override {
    for (const std::size_t j : which_) {
      const auto up = static_cast<double>(draws.poisson(kappa_ / 2));
      const auto down = static_cast<double>(draws.poisson(kappa_ / 2));
      omega[j] += 2 * b_ * (up - down);
    }
  }

 private:
  double kappa_;
  double b_;
  Which which_;
};

class Cosine final : public Measure {
 public:
  explicit Cosine(std::vector<std::pair<std::size_t, double>> of) : of_(std::move(of)) {}
  void draw(Draws& draws, std::span<double> omega) override {
    const double sign = draws.coin() ? 1 : -1;
    for (const auto& [j, c] : of_) omega[j] += sign * c;
  }

 private:
  std::vector<std::pair<std::size_t, double>> of_;
};

// One term of a spectrum, by its mass.
inline void draw_one(Spectrum& s, Draws& draws, std::span<double> omega) {
  double at = draws.uniform() * s.mass();
  for (auto& term : s.terms) {
    at -= term.mass;
    if (at >= 0 && &term != &s.terms.back()) continue;
    for (auto& f : term.factors) f->draw(draws, omega);
    return;
  }
}

// exp(k - k(0)).
class Compound final : public Measure {
 public:
  explicit Compound(Spectrum inner) : inner_(std::move(inner)) {}
  void draw(Draws& draws, std::span<double> omega) override {
    for (std::size_t n = draws.poisson(inner_.mass()); n > 0; --n) draw_one(inner_, draws, omega);
  }

 private:
  Spectrum inner_;
};

// The same in each of some coordinates; the inner one is about the coordinate 0.
class Each final : public Measure {
 public:
  Each(Spectrum inner, Which which) : inner_(std::move(inner)), which_(std::move(which)) {}
  void draw(Draws& draws, std::span<double> omega) override {
    for (const std::size_t j : which_) draw_one(inner_, draws, omega.subspan(j, 1));
  }

 private:
  Spectrum inner_;
  Which which_;
};

}  // namespace mercer::scale
