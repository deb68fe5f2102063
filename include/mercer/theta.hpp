// θ = Σ_i α_i y_i φ(x_i): the rule that a model keeps as a sum over support points, written out in
// the features of its kernel. The score of x is θ·φ(x) + b.
//
//     Theta t = theta(model);                    // of poly(2) in the plane
//     t.map.text(1), t.weights(1, 0)             // "sqrt(2)*x1", 0.35
//
// Only where φ is finite and short; else `why` says what stands against it.
#pragma once

#include <cstddef>
#include <mercer/features.hpp>
#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <string>

namespace mercer {

struct Theta {
  FeatureMap map;   // φ
  Matrix weights;   // a row for each feature, a column for each score
  std::string why;  // not empty: there is none, "φ has infinitely many features"
};

// With up to so many features. Throws EvaluationError where a feature has no value at a support
// point.
Theta theta(const Model& model, std::size_t most_features = 32);

}  // namespace mercer
