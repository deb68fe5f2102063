// Matérn functions of any smoothness, fast: M(t) / exp(E(t)) as polynomials on pieces, with the
// leading exponent of the uniform expansion of Bessel functions (DLMF 10.41.4),
//
//   E(t) = nu (log((1+s)/2) - (s-1)),   s = sqrt(1 + (t/nu)²),
//
// which leaves a slowly varying function. Its singularities are at 0 and at ±i nu. Seen from the
// quarter of an octave [a, 5a/4] they are many lengths of the piece away, and a Chebyshev expansion
// gains a factor of more than 10 with each degree, however near to 0 the piece lies.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "gram/matern_pieces.hpp"

namespace mercer::gram {

class MaternTable {
 public:
  explicit MaternTable(double nu);

  // One table for all who ask for the same smoothness while it is in use.
  static std::shared_ptr<const MaternTable> of(double nu);

  [[nodiscard]] double smoothness() const { return nu_; }

  // The same for vectors.
  template <class T>
  [[nodiscard]] const MaternPieces<T>& pieces() const {
    if constexpr (std::is_same_v<T, float>)
      return floats_;
    else
      return doubles_;
  }

  // M(t) for t >= 0, and NaN for others.
  [[nodiscard]] double operator()(double t) const {
    if (!(t >= smallest && t < largest)) return beyond(t);
    // The octave and its quarter are the exponent and the first two bits of the mantissa.
    const auto bits = std::bit_cast<std::uint64_t>(t);
    const Piece& p = pieces_[static_cast<std::size_t>((bits >> 50U) - first)];
    const auto start = std::bit_cast<double>(bits & ~((std::uint64_t{1} << 50U) - 1));
    const double u = (t - start) * p.scale - 1;
    double sum = p.c[degree];
    for (std::size_t k = degree; k-- > 0;) sum = sum * u + p.c[k];
    return sum * std::exp(exponent(nu_, t));
  }

 private:
  static constexpr std::size_t degree = 12;
  static constexpr double smallest = 0x1p-30;
  static constexpr double largest = 4096;
  static constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(smallest) >> 50U;

  struct Piece {
    double scale;                      // 2 / length
    std::array<double, degree + 1> c;  // of the powers of u in [-1, 1]
  };

  [[nodiscard]] double beyond(double t) const;
  static std::vector<Piece> expand(double nu);
  static double exponent(double nu, double t) {
    const double z = t / nu;
    const double excess = z * z / (1 + std::sqrt(1 + z * z));  // s - 1 without cancellation
    return nu * (std::log1p(excess / 2) - excess);
  }

  double nu_;
  std::vector<Piece> pieces_;
  MaternPieces<float> floats_;
  MaternPieces<double> doubles_;
};

}  // namespace mercer::gram
