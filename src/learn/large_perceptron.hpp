// The perceptron on centres or random features: w is kept, and rows are mapped as they are visited.
#pragma once

#include <mercer/gram.hpp>
#include <mercer/points.hpp>

#include "learn/perceptron_space.hpp"
#include "scale/basis.hpp"
#include "scale/factor.hpp"

namespace mercer::learn {

// φ(x) = L⁻¹ [b_1(x), …, b_m(x)] of a basis b and the factor L of its prices; a rule w·φ has the
// coefficients α = L⁻ᵀ w. Where there is memory for all rows, they are computed once.
class BasisRows final : public FeatureRows {
 public:
  BasisRows(const Points& x, const scale::Basis& basis, const scale::Factor& factor,
            const GramOptions& how);
  [[nodiscard]] std::size_t rows() const override { return x_.rows(); }
  [[nodiscard]] std::size_t features() const override { return basis_.size(); }
  [[nodiscard]] Matrix of(std::span<const std::size_t> examples) const override;

 private:
  [[nodiscard]] Matrix computed(const Points& x, std::size_t first) const;

  const Points& x_;
  const scale::Basis& basis_;
  const scale::Factor& factor_;
  GramOptions how_;
  Matrix kept_;  // or empty
};

}  // namespace mercer::learn
