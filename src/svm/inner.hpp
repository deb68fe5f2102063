// A problem so small that its matrix is at hand:
//
//     minimise  ½ βᵀKβ + cᵀβ   with  lower <= β <= upper  and the sum of β in each group kept,
//
// by moving two variables of a group at a time against each other, the one that may grow with the
// least gradient F = Kβ + c and the partner that gains most (Fan, Chen and Lin, 2005): sequential
// minimal optimisation. Where no sum has to be kept, one at a time.
//
// Where kernel values are floats, gradients are, too, while it is done: good to about 1e-6 of the
// largest. Whoever asks begins with exact ones each time.
//
// Where that takes long, as it does with a large C, all variables between their bounds are moved
// together from time to time (face.hpp). When, is decided by counting work: as much of it goes into
// such steps as into moves, so that neither can cost more than twice what the other alone would.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "svm/passes.hpp"

namespace mercer::support {

// Variables stand in up to two stretches, each filled up to a multiple of pass_step with variables
// that cannot move; a row of K is given by a pointer for each stretch.
template <class T>
class Inner {
 public:
  // `length` of each stretch; the second may be 0.
  Inner(std::size_t first, std::size_t second, bool keeps_sum,
        const std::string& instructions = {});

  // The place of variable k of a stretch.
  [[nodiscard]] std::size_t place(std::size_t stretch, std::size_t k) const {
    return stretch == 0 ? k : split_ + k;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

  // To be called for every variable. `row`: K at the places of the first stretch, and of the
  // second; they stay where they are, with pass_step more numbers than needed, or zeros.
  void set(std::size_t at, const T* row_first, const T* row_second, double beta, double F,
           double lower, double upper, std::uint8_t group = 0) {
    set_with(at < split_ ? row_first[at] : row_second[at - split_], at, row_first, row_second, beta,
             F, lower, upper, group);
  }
  // The same, with K_ii, where there may be no row.
  void set_with(T diagonal, std::size_t at, const T* row_first, const T* row_second, double beta,
                double F, double lower, double upper, std::uint8_t group = 0);

  // Rows that are null come when they are needed: `fetch` gets the places of some variables without
  // a row, and says where the two pieces of each are. Most variables never move, so that most rows
  // are never asked for. With one that is come others that may be next, `together` in all.
  using Fetch = std::function<void(std::span<const std::uint32_t> at, std::span<const T*> first,
                                   std::span<const T*> second)>;
  void on_demand(Fetch fetch, std::size_t together) {
    fetch_ = std::move(fetch);
    together_ = together;
  }

  // All variables between their bounds may be moved together, with so many threads; `rounding` is
  // how far a kernel value may be off, relative to the largest.
  void allow_faces(unsigned threads, double rounding);
  // To end where Σβ² is above it: kernel values are too coarse for the rest.
  void limit_squares(double most) { most_squares_ = most; }

  struct End {
    std::size_t moves = 0;
    std::size_t faces = 0;
    bool coarse = false;  // Σβ² is above its limit
    // Variables with which the objective falls for ever: K is no kernel there.
    std::vector<std::uint32_t> for_ever;
    double violation = 0;  // the largest left
  };
  // Until no two variables violate optimality by more than `tolerance`, or after that many moves.
  End solve(double tolerance, std::size_t most_moves);

  [[nodiscard]] double beta(std::size_t at) const { return beta_[at]; }

 private:
  struct Piece {  // variables of one stretch
    std::size_t begin;
    std::size_t end;
    std::size_t stretch;
  };
  [[nodiscard]] const T* row(std::size_t at, std::size_t stretch) const {
    return rows_[stretch][at] - (stretch == 0 ? 0 : split_);
  }
  void mark(std::size_t at);
  // See to it that a variable has its row. F is the gradient.
  template <class G>
  void need(std::uint32_t at, const G* F) {
    if (rows_[0][at] == nullptr) fetch_rows(at, F);
  }
  template <class G>
  void fetch_rows(std::uint32_t at, const G* F);
  void fetch_some(std::uint32_t at, const float* F);
  void fetch_all(std::span<const std::uint32_t> some);
  // The partner of i, or who moves alone, in doubles: where gains are no floats.
  [[nodiscard]] std::uint32_t partner_in_doubles(std::uint32_t i) const;
  [[nodiscard]] std::uint32_t single_in_doubles() const;
  double move(std::uint32_t i, std::uint32_t j, double difference);
  [[nodiscard]] bool too_large() const;
  // Whether it is time for it, after so many moves; then F is another.
  bool look_at_face(End& end);
  [[nodiscard]] std::vector<std::uint32_t> between_bounds() const;
  bool descend_on_face(const std::vector<std::uint32_t>& free, bool& whole);
  // Goes on after the moves that `end` counts.
  End solve_pairs(double tolerance, std::size_t most_moves, End end);
  // Gradients in floats, twice as many at a time, as far as they are exact enough: false where
  // somebody has to go on, as where kernel values are doubles.
  bool solve_in_floats(double tolerance, std::size_t most_moves, End& end);
  End solve_singles(double tolerance, std::size_t most_moves);

  const Passes<T>& passes_;
  bool keeps_sum_;
  std::size_t split_;
  std::size_t size_;
  std::vector<Piece> pieces_;
  std::array<std::vector<const T*>, 2> rows_;
  Fetch fetch_;
  std::size_t together_ = 1;
  std::vector<float> aside_;  // infinite where a row is here, once one was fetched
  float level_ = 0;           // between those that grow and those that shrink
  std::vector<double> beta_;
  std::vector<double> F_;
  std::vector<float> narrow_gradient_;
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<T> diagonal_;
  std::vector<std::uint8_t> group_;
  bool groups_ = false;  // more than one
  // What may move, for each group: see passes.hpp.
  std::array<std::vector<float>, 2> up_;
  std::array<std::vector<float>, 2> low_;
  bool faces_ = false;
  unsigned threads_ = 1;
  double rounding_ = 0;
  std::string instructions_;
  std::size_t next_look_ = 0;  // at the number of variables between bounds, in moves
  std::size_t last_face_ = 0;
  double most_squares_ = std::numeric_limits<double>::infinity();
  std::vector<std::uint32_t> for_ever_;
};

}  // namespace mercer::support
