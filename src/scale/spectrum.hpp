// The spectral measure of a stationary kernel, as a way to draw from it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/expr.hpp"
#include "scale/draws.hpp"

namespace mercer::scale {

// A measure of mass 1.
class Measure {
 public:
  Measure() = default;
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  virtual ~Measure() = default;
  // Adds a frequency to omega.
  virtual void draw(Draws& draws, std::span<double> omega) = 0;
  [[nodiscard]] virtual bool has_directions() const { return false; }
};

// Σ of terms, each a mass and the product of measures (the sum of their frequencies).
struct Spectrum {
  struct Term {
    double mass = 0;
    std::vector<std::shared_ptr<Measure>> factors;  // empty: the constant
  };
  std::vector<Term> terms;

  [[nodiscard]] double mass() const;
};

// Throws Error. `orthogonal`: normal vectors in orthogonal groups.
Spectrum spectrum_of(const algebra::Expr& k, std::size_t dimension, bool orthogonal);

}  // namespace mercer::scale
