// All that decides the further path of a solver, between two of its rounds: whoever goes on from
// there computes the same numbers as the one who never stopped. Kernel values are not part of it.
// Which rows of K are kept is: what comes from them is added up in another order than the rest.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace mercer::support {

struct State {
  std::vector<double> beta;              // of all variables
  std::vector<std::uint64_t> variables;  // that are looked at, in their order
  std::vector<double> f;                 // Kβ at the points of these, in the order of their coming
  std::vector<std::uint64_t> newest;     // of the last working set, as places in `variables`
  std::vector<double> known_f;           // where some are left aside, for each row of K: Kβ and
  std::vector<double> known;             // Σβ when all of them were looked at last; else empty
  std::vector<std::uint64_t> rows;       // of K that are kept, as places in `f`, slot by slot
  std::vector<std::uint64_t> rows_used;  // the round in which each was used last
  std::uint64_t next_row = 0;            // that may be given up
  std::uint64_t rounds = 0;
  std::uint64_t moves = 0;
  std::uint64_t computed = 0;  // rows of K
  std::uint64_t since_better = 0;
  std::uint64_t last_active = 0;
  std::uint64_t looked_early = 0;  // or 1
  std::uint64_t in_double = 0;     // or 1: floats were too coarse
  double best_objective = 0;
  double violation_aside = 0;  // when variables were left aside
  std::uint64_t shrinks = 1;   // or 0: no more
  double largest_value = 0;    // of k(x, x), among those that were in a working set
  double work = 0;             // of rounds since all variables between bounds were moved together
  std::uint64_t faces = 1;     // or 0: no more of that
  double looked_at = 0;        // work, when it was last asked whether there is progress,
  double objective_then = 0;   // what was reached
  double violation_then = 0;   // when there was some last,
  std::uint64_t in_vain = 0;   // and how often there was none since

  bool operator==(const State&) const = default;
};

// How to be continued one day, and from where.
struct Continuation {
  const State* from = nullptr;  // null: from the beginning
  std::function<bool()> due;    // whether to hand out the state after this round
  std::function<void(State&&)> keep;
};

}  // namespace mercer::support
