// Scores of examples by machines that were trained without them, for many prices C: what a search
// by cross-validation asks for.
//
// All machines, folds and prices share the kernel values, which are there as a whole. With the
// examples of a fold fixed at β = 0, the gradient of a machine at them is what it says of them:
// they are scored while it is trained. The machine of a price begins with that of the price
// before, scaled by the s that makes the objective ½ s² βᵀKβ + s cᵀβ least.
#pragma once

#include <cstddef>
#include <mercer/svm.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned.hpp"

namespace mercer::support {

// All of a Gram matrix, row by row; rows begin `stride` numbers apart, a multiple of pass_step, and
// are filled up with finite numbers.
template <class T>
struct AllValues {
  const T* values = nullptr;
  std::size_t size = 0;
  std::size_t stride = 0;

  [[nodiscard]] const T* row(std::size_t i) const { return values + i * stride; }
};

struct HeldOutOptions {
  std::vector<double> prices = {};  // C, ascending
  // The points of a fold stand next to each other in K: these are where each begins, and the end.
  std::vector<std::size_t> folds = {};
  bool regression = false;
  double epsilon = 0.1;
  bool offset = true;
  double tolerance = 1e-3;
  // Moves for each variable and price, at most. With `give_up`, a machine that needs more is not
  // solved for larger prices either, which are harder: they get its scores, not converged.
  std::size_t moves = 1000;
  bool give_up = false;
  std::vector<double> weights = {};  // of each row of K; empty: 1
  // Folds do not follow each other, but run apart, on up to so many threads.
  bool apart = false;
  unsigned threads = 0;
  std::string instructions = {};
};

// Memory that one machine leaves to the next: fresh memory costs more than what is done with it.
template <class T>
struct HeldOutMemory {
  Aligned<T> own;  // K among the points of the machine
};

struct HeldOutScores {
  // Of each price, and each row of K: the score by the machine that its fold had no part in.
  std::vector<std::vector<double>> scores;
  std::vector<std::size_t> support;  // of each price, in all folds together
  std::size_t moves = 0;
  bool converged = true;
};

// A machine of some rows of K, ascending, with their labels y: +1 or -1, or numbers in regression.
// Rows of K that are not among them are scored, too.
template <class T>
HeldOutScores held_out_scores(const AllValues<T>& K, const std::vector<std::size_t>& rows,
                              const std::vector<double>& y, const HeldOutOptions& options,
                              HeldOutMemory<T>& memory);

extern template HeldOutScores held_out_scores(const AllValues<float>&,
                                              const std::vector<std::size_t>&,
                                              const std::vector<double>&, const HeldOutOptions&,
                                              HeldOutMemory<float>&);
extern template HeldOutScores held_out_scores(const AllValues<double>&,
                                              const std::vector<std::size_t>&,
                                              const std::vector<double>&, const HeldOutOptions&,
                                              HeldOutMemory<double>&);

}  // namespace mercer::support
