// A combination of points, recomputed beyond doubt.
#pragma once

#include <mercer/domain.hpp>
#include <mercer/proof.hpp>
#include <optional>
#include <vector>

#include "proof/point_value.hpp"

namespace mercer::proof {

// Points with coefficients: the sign of Σ a_i a_j k(x_i, x_j) is in question.
struct Combination {
  std::vector<Point> points;
  std::vector<Rational> coefficients;
};

std::vector<std::string> texts(const Point& p);
std::vector<double> doubles(const Point& p);
// The inverse of `texts`.
Point from_texts(const std::vector<std::string>& texts);

class Certifier {
 public:
  Certifier(Expr e, Domain domain, std::uint32_t d);

  // The witness, where all points lie in the domain and the sum is negative: in rational
  // arithmetic, or by the upper bound of a ball, with at most so many bits.
  [[nodiscard]] std::optional<Witness> operator()(const Combination& given, long most_bits) const;

  [[nodiscard]] bool symmetric() const { return symmetric_; }
  // k(x + t, z + t) is k(x, z).
  [[nodiscard]] bool stationary() const {
    return sees_ == Sees::difference || sees_ == Sees::distance;
  }

 private:
  // k(x_i, x_j) at different i, j is often the same number: that of the difference of the points,
  // their distance or their inner product.
  enum class Sees : std::uint8_t { points, difference, distance, inner_product };

  struct Term {
    Rational weight;
    Point x;
    Point z;
  };
  [[nodiscard]] std::vector<Term> terms(const Combination& c) const;
  [[nodiscard]] std::optional<std::vector<Term>> along_line(const Combination& c) const;

  Expr e_;
  Domain domain_;
  std::uint32_t d_;
  bool symmetric_ = false;
  Sees sees_ = Sees::points;
};

}  // namespace mercer::proof
