// A problem in working sets: of all variables those that violate optimality most are solved for
// among themselves (inner.hpp), with a tile of K that stays near; then the gradient of all others
// is brought up to date by the rows of those that really changed.
//
// Half of a working set stays for one more round: those that were new in the last one. Without them
// it forgets what it just learnt, and goes back and forth. Variables that stick to a bound are left
// aside after a while (shrinking), and looked at again before the end; in small problems, too, of
// which all of K is at hand: what is left of it is near.
//
// Where that takes long, all variables between their bounds are moved together from time to time
// (face.hpp), as within a working set: with a large C they hang together across working sets.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "svm/inner.hpp"
#include "svm/memory_pool.hpp"
#include "svm/quadratic.hpp"
#include "svm/row_store.hpp"
#include "svm/rows_on_demand.hpp"
#include "svm/state.hpp"

namespace mercer::support {

template <class T>
class Decomposition {
 public:
  // `before`: rounds that were done elsewhere are counted on.
  Decomposition(const Gram& K, const Quadratic& problem, const SolveOptions& options,
                const TwoStretches<T>* given, const Known& known, const Solution& before = {});
  Solution run();

 private:
  // The variables that are looked at, numbered anew, and the points that belong to them.
  struct Level {
    std::vector<std::uint32_t> variables;
    std::vector<std::uint32_t> place;  // of each: among the points
    std::vector<std::size_t> points;   // rows of K
    std::vector<double> linear;
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<double> beta;
    std::vector<std::uint8_t> group;
    std::vector<double> f;     // Kβ at the points, and zeros up to a multiple of pass_step
    std::optional<Gram> part;  // of K; none where it is all of it
    std::optional<RowStore<T>> rows;

    [[nodiscard]] std::size_t size() const { return variables.size(); }
    [[nodiscard]] double gradient(std::size_t k) const { return f[place[k]] + linear[k]; }
    [[nodiscard]] bool grows(std::size_t k) const { return beta[k] < upper[k]; }
    [[nodiscard]] bool shrinks(std::size_t k) const { return beta[k] > lower[k]; }
  };

  [[nodiscard]] State state() const;
  void go_on_from(const State& state);
  void check(const State& state) const;
  Level level_of(const std::vector<std::uint32_t>& variables) const;
  [[nodiscard]] const Gram& gram() const { return now_.part ? *now_.part : K_; }
  [[nodiscard]] bool whole() const { return now_.size() == problem_.size(); }
  void look();
  [[nodiscard]] double squares() const;
  [[nodiscard]] double rounding() const;
  void note_value(T k) {
    largest_value_ = std::max(largest_value_, std::abs(static_cast<double>(k)));
  }
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] double tolerance_here() const;
  // What violates optimality is to become a tenth of what it is, and less in the end.
  [[nodiscard]] double goal() const { return std::max(tolerance_, 0.1 * violation_); }
  [[nodiscard]] bool drifts() const;
  void refresh();
  [[nodiscard]] double lost(const Progress& p) const;
  [[nodiscard]] bool stalls(const Progress& p);
  [[nodiscard]] bool goes_in_circles();
  [[nodiscard]] bool beyond(std::size_t k) const;
  void shrink();
  void look_at_all();
  [[nodiscard]] std::size_t set_size() const;
  [[nodiscard]] double share_left() const;
  std::vector<std::uint32_t> choose();
  void take_most(std::vector<std::pair<double, std::uint32_t>>& candidates, std::size_t count,
                 std::vector<std::uint32_t>& chosen);
  void step(const std::vector<std::uint32_t>& chosen);
  void step_with_all();
  [[nodiscard]] bool may_leave_aside() const;
  [[nodiscard]] std::vector<std::uint32_t> those_that_move() const;
  void step_with(const std::vector<std::uint32_t>& some);
  void copy_tile(const std::vector<std::uint32_t>& some, std::size_t first, T* tile,
                 std::size_t stride) const;
  typename Inner<T>::End solve_tile(const std::vector<std::uint32_t>& chosen, const T* tile,
                                    double tolerance, std::vector<double>& beta);
  [[nodiscard]] const T* row_at_hand(std::size_t k, std::size_t stretch) const;
  void move_by_rows(const std::vector<std::uint32_t>& variables, const std::vector<double>& beta,
                    std::size_t first);
  void take_all();
  [[nodiscard]] bool on_its_own() const { return given_ == nullptr && !tile_of_all_; }
  [[nodiscard]] bool rows_suffice() const;
  void move_to(const std::vector<std::uint32_t>& variables, const std::vector<double>& beta);
  [[nodiscard]] bool room_for_face(std::size_t variables) const;
  void look_at_face();
  bool descend_on_face(const std::vector<std::uint32_t>& free, bool& whole);
  void prepare(Inner<T>& inner, double squares_elsewhere) const;
  [[nodiscard]] double value_work() const;
  [[nodiscard]] std::size_t moves_left(std::size_t variables) const;
  void make_room(std::size_t values);
  const T* tile_of(const std::vector<std::uint32_t>& chosen);
  void change(const std::vector<std::uint32_t>& places, const std::vector<double>& by);
  void change_by_given(const std::vector<std::uint32_t>& places, const std::vector<double>& by);
  void write_back();

  const Gram& K_;
  const Quadratic& problem_;
  const SolveOptions& options_;
  const TwoStretches<T>* given_;
  const Known& had_;  // by others
  Slabs own_slabs_;   // where nobody has others
  MemoryPool own_pool_;
  std::vector<double> diagonal_;  // of K; empty where it is not needed
  std::optional<RowsOnDemand<T>> demanded_;
  const Passes<T>& passes_;
  std::size_t groups_ = 1;
  std::size_t most_at_once_ = 0;  // variables of a working set

  Level now_;
  std::vector<double> beta_;     // of all variables
  std::vector<double> known_f_;  // of all rows of K, at the sums known_
  std::vector<double> known_;    // Σ β at each row of K
  Extremes extremes_[2];         // NOLINT(modernize-avoid-c-arrays)
  double violation_ = 0;
  double tolerance_ = 0;               // at this point
  double squares_ = 0;                 // Σβ²
  double rounding_ = 0;                // of the gradient, by kernel values in floats
  std::vector<std::uint32_t> newest_;  // of the last working set
  std::vector<char> in_set_;
  T* tile_ = nullptr;
  std::size_t tile_size_ = 0;
  Aligned<T> small_tile_;  // one of them is the tile's memory
  Lent large_tile_;
  Lent some_tile_;                  // of step_with
  std::vector<std::size_t> which_;  // rows that are needed
  double violation_aside_ = 0;      // when variables were left aside
  double best_objective_ = 0;
  std::size_t last_active_ = 0;
  std::size_t since_better_ = 0;  // rounds
  double largest_value_ = 0;      // of k(x, x), among those that were in a working set
  double looked_at_ = 0;          // work, when it was last asked whether there is progress,
  double objective_then_ = 0;     // what was reached then,
  double violation_then_ = 0;     // when there was progress last,
  std::size_t in_vain_ = 0;       // and how often there was none since
  double work_ = 0;               // of rounds since the last descent on a face, in steps of a move
  bool faces_ = true;             // the last such descent was of use
  bool unbounded_ = false;        // some β are: a hard margin
  bool tile_of_all_ = false;      // the tile holds K among all of now_
  bool looked_early_ = false;
  bool shrinks_ = true;
  Solution result_;

  // Of a kernel value, what is lost to rounding.
  static constexpr double share_lost = std::is_same_v<T, float> ? 1e-7 : 1e-13;
};

}  // namespace mercer::support
