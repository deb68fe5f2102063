// The nearest points of the two convex hulls, by an active set (Wolfe's nearest-point algorithm for
// two hulls; P. Wolfe, "Finding the nearest point in a polytope", Math. Programming 11, 1976).
//
// With Q_ij = y_i y_j φ(x_i)·φ(x_j), minimise aᵀQa over a >= 0 whose sum over each group is 1. The
// groups are the two classes or, without an offset, all points together. The minimum is the squared
// distance of the hulls (of the origin from the one hull).
//
// S is a set of points that are independent (no two combinations of them with the same sums over
// the groups meet), a the minimiser over the plane through them, all weights positive. A point i
// whose value (Qa)_i lies below the level of its group improves a; it is independent of S for that
// very reason. Values of the objective strictly fall, so no S comes back: in exact arithmetic the
// search ends with the minimum. The same lines run in doubles, with a tolerance, and in rationals.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace mercer::separability {

using Clock = std::chrono::steady_clock;

template <class Number>
struct Nearest {
  std::vector<std::size_t> support;
  std::vector<Number> weights;  // of the support
  std::vector<Number> values;   // (Qa)_i = y_i w·φ(x_i) for w = Σ a_j y_j φ(x_j), for all i
  bool finished = false;        // else the time was up, or rounding stopped it
};

// A space has
//   Number, size(), groups(), group(i);
//   minimiser(S): over the plane through S; nullopt where S is not independent;
//   dependency(S): then some d != 0 with sums 0 over the groups and no effect;
//   values(S, a);
//   positive(weight), below(value, level), improves(objective, last): strictly, beyond the
//   tolerance.
template <class Space>
class Search {
 public:
  using Number = typename Space::Number;

  Search(Space& space, Clock::time_point deadline) : space_(space), deadline_(deadline) {}

  // From some S and a > 0 whose sum over each group is 1.
  Nearest<Number> run(const std::vector<std::size_t>& support, std::vector<Number> weights) {
    now_.support = support;
    now_.weights = std::move(weights);
    while (Clock::now() < deadline_) {
      if (!settle()) break;
      now_.values = space_.values(now_.support, now_.weights);
      if (!progress()) break;
      const auto next = most_below();
      if (!next) {
        now_.finished = true;
        break;
      }
      now_.support.push_back(*next);
      now_.weights.push_back(Number(0));
    }
    if (now_.values.empty()) now_.values = space_.values(now_.support, now_.weights);
    return std::move(now_);
  }

 private:
  // Moves to the minimiser over the plane through S, leaving points behind whose weights vanish on
  // the way. False where rounding leads nowhere.
  bool settle() {
    while (Clock::now() < deadline_) {
      const auto target = space_.minimiser(now_.support);
      if (!target) {
        const auto direction = space_.dependency(now_.support);
        if (!direction || !move_along(*direction)) return false;
        continue;
      }
      bool inside = true;
      std::vector<Number> direction = *target;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        inside = inside && space_.positive((*target)[i]);
        direction[i] = (*target)[i] - now_.weights[i];
      }
      if (inside) {
        now_.weights = *target;
        return true;
      }
      if (!move_along(direction)) return false;
    }
    return false;
  }

  // As far as all weights stay non-negative; at least one point is left behind.
  bool move_along(const std::vector<Number>& direction) {
    std::optional<Number> step;
    std::size_t first = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      if (!(direction[i] < Number(0))) continue;
      const Number reach = now_.weights[i] / (Number(0) - direction[i]);
      if (!step || reach < *step) {
        step = reach;
        first = i;
      }
    }
    if (!step) return false;
    std::vector<std::size_t> support;
    std::vector<Number> weights;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const Number moved = now_.weights[i] + *step * direction[i];
      if (i == first || !space_.positive(moved)) continue;
      support.push_back(now_.support[i]);
      weights.push_back(moved);
    }
    now_.support = std::move(support);
    now_.weights = std::move(weights);
    return every_group_is_there();
  }

  [[nodiscard]] bool every_group_is_there() const {
    std::size_t seen = 0;
    for (const auto i : now_.support) seen |= std::size_t{1} << space_.group(i);
    return seen + 1 == std::size_t{1} << space_.groups();
  }

  // In exact arithmetic always; with rounding, the end of the road.
  bool progress() {
    Number total(0);
    for (std::size_t i = 0; i < now_.support.size(); ++i)
      total = total + now_.weights[i] * now_.values[now_.support[i]];
    const bool better = !last_ || space_.improves(total, *last_);
    last_ = total;
    return better;
  }

  [[nodiscard]] std::optional<std::size_t> most_below() const {
    std::vector<Number> level(space_.groups(), Number(0));
    std::vector<bool> inside(space_.size());
    for (const auto i : now_.support) inside[i] = true;
    for (std::size_t i = 0; i < now_.support.size(); ++i) {
      Number& l = level[space_.group(now_.support[i])];
      l = l + now_.weights[i] * now_.values[now_.support[i]];
    }
    std::optional<std::size_t> best;
    std::optional<Number> depth;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      const Number& l = level[space_.group(i)];
      if (inside[i] || !space_.below(now_.values[i], l)) continue;
      const Number d = now_.values[i] - l;
      if (!depth || d < *depth) {
        depth = d;
        best = i;
      }
    }
    return best;
  }

  Space& space_;
  Clock::time_point deadline_;
  Nearest<Number> now_;
  std::optional<Number> last_;
};

}  // namespace mercer::separability
