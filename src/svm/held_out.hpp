// Scores of examples by machines that were trained without them, for many prices C: what a search
// by cross-validation asks for.
//
// All machines, folds and prices share the kernel values, which are there as a whole. With the
// examples of a fold fixed at β = 0, the gradient of a machine at them is what it says of them:
// they are scored while it is trained. The machine of a price begins with that of the price
// before, scaled by the s that makes the objective ½ s² βᵀKβ + s cᵀβ least.
#pragma once

#include <cstddef>
#include <cstdint>
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

// What the machine of one fold and price adds to the scores of points outside of it, after those of
// the price before were scaled: Σ by[k] K(rows[k], ·). To that the offset comes, of this price
// only.
struct Outside {
  double scaled = 1;
  std::vector<std::uint32_t> rows = {};
  std::vector<double> by = {};
  double offset = 0;
};

struct HeldOut {
  std::vector<std::size_t> rows;  // of K, which the machine has, ascending
  // Of each price, and each of these rows: the score by the machine without its fold.
  std::vector<std::vector<double>> scores;
  // Of each fold and price; none where the machine has all rows. See score_all.hpp.
  std::vector<std::vector<Outside>> outside;
  std::vector<std::size_t> support;  // of each price, in all folds together
  std::size_t moves = 0;
  bool converged = true;
};

// A machine of some rows of K, ascending, with their labels y: +1 or -1, or numbers in regression.
template <class T>
HeldOut hold_out(const AllValues<T>& K, const std::vector<std::size_t>& rows,
                 const std::vector<double>& y, const HeldOutOptions& options,
                 HeldOutMemory<T>& memory);

extern template HeldOut hold_out(const AllValues<float>&, const std::vector<std::size_t>&,
                                 const std::vector<double>&, const HeldOutOptions&,
                                 HeldOutMemory<float>&);
extern template HeldOut hold_out(const AllValues<double>&, const std::vector<std::size_t>&,
                                 const std::vector<double>&, const HeldOutOptions&,
                                 HeldOutMemory<double>&);

}  // namespace mercer::support
