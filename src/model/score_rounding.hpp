// What kernel values in floats leave of a score: each is off by some 1e-7 of sqrt(k(x,x) k(s,s)),
// one up, another down, so that Σ α k is off by that of sqrt(Σ α²). Where rules have large
// coefficients that cancel (a large C, a small λ, a wide kernel), that may be all there is.
#pragma once

#include <mercer/model.hpp>
#include <span>
#include <vector>

namespace mercer::model {

class ScoreRounding {
 public:
  // Of a model in kernel form.
  explicit ScoreRounding(const Model& model);

  // Whether these scores, a row for each of the points, are to be had in doubles: the error to be
  // expected is more than a thousandth of their usual size, of quantities of their deviation.
  [[nodiscard]] bool matters(const Points& x, std::span<const double> scores) const;

 private:
  const Model& model_;
  std::vector<double> roots_;  // sqrt(Σ α²) of each score
  double support_ = 0;         // the largest |k(s,s)| of some support points
};

}  // namespace mercer::model
