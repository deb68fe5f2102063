// The hinge loss: support vector machines on centres or features, for each column of y
//
//     min  Σ_i c_i ξ_i + λ|w|²,     ξ_i = max(0, t_i),  t_i = 1 - y_i (w·φ(x_i) + b)
//
// With C = 1/(2λ) that is the soft margin of svm.hpp, over C. The corner of the hinge is rounded, a
// parabola over a width μ: h(t) = t²/(2μ) for 0 <= t <= μ, t - μ/2 beyond. That has Newton steps,
// whose systems only the rows in the corner count in. Where these are few, as they are near the
// end, they are fetched, and the step is solved for at once; else some of them, drawn by lot, make
// a preconditioner for conjugate gradients.
//
// Any w and b give weights a_i = c_i h'(t_i) for the dual,
//     max  Σ a_i - |Σ a_i y_i φ(x_i)|²/(4λ)     with  0 <= a_i <= c_i,  Σ a_i y_i = 0
// (the last one only where there is an offset; then those of the heavier side are made smaller by a
// common factor until it holds): the gap between both is known after every pass over the data. What
// is due to the rounding, Σ c_i ξ_i - a_i t_i, falls with μ²; so μ is made smaller as soon as the
// rest of the gap is small beside that, until all of it is below the tolerance.
//
// Columns have nothing to do with each other but that they share the passes over the data.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mercer/matrix.hpp>
#include <mercer/nystrom.hpp>
#include <span>
#include <vector>

#include "scale/basis.hpp"
#include "scale/crew.hpp"
#include "scale/factor.hpp"
#include "scale/precondition.hpp"

namespace mercer::scale {

class Hinge {
 public:
  // `tell` is asked after every pass, with the gap; false ends it.
  Hinge(Crew& crew, Factor& factor, Preconditioner& A, const Basis& basis,
        const NystromOptions& options, std::function<bool(double gap)> tell);
  ~Hinge();
  Hinge(const Hinge&) = delete;
  Hinge& operator=(const Hinge&) = delete;

  struct End {
    bool converged = true;
    bool interrupted = false;
    double residual = 0;         // the worst column's gap, by its primal value
    std::size_t iterations = 0;  // of conjugate gradients
    std::size_t newton_steps = 0;
    std::size_t rows = 0;  // in the corners that these were taken for
    double loss = 0;       // of all columns, as the following
    double primal = 0;
    double dual = 0;
  };
  // From where the last price ended. `rough`: the gap is measured by the loss at w = 0, since the
  // primal value may be next to nothing: enough to compare prices.
  End solve(double lambda, double tolerance, bool rough);

  [[nodiscard]] Matrix gamma() const;
  [[nodiscard]] std::vector<double> offsets() const;

 private:
  struct Point;
  struct Column;
  struct Step;
  struct Trial;
  void solve(std::span<Column> columns, double tolerance, bool rough, End& end);
  // What a pass says of these.
  [[nodiscard]] std::vector<Point> at(std::vector<Trial> trials);
  // Each column has moved, or is marked as stuck.
  void take_steps(const std::vector<Column*>& columns, End& end);
  // How many rows A is of.
  std::size_t prepare(Step& step);
  void solve_by_gradients(std::vector<Step>& steps, End& end);
  void search_along(std::vector<Step>& steps);
  [[nodiscard]] std::size_t columns_at_once() const;

  Crew& crew_;
  Factor& factor_;
  const Basis& basis_;
  const NystromOptions& options_;
  std::function<bool(double)> tell_;
  std::size_t m_;
  double lambda_ = 0;
  double worst_ = 0;  // gap of all columns so far
  std::vector<Preconditioner*> A_;
  std::vector<std::unique_ptr<Preconditioner>> further_;
  std::vector<Column> columns_;
};

}  // namespace mercer::scale
