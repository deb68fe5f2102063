#include "svm/held_out.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mercer/stop.hpp>

#include "base/aligned.hpp"
#include "base/parallel.hpp"
#include "svm/corner.hpp"
#include "svm/float_inner.hpp"
#include "svm/inner.hpp"
#include "svm/quadratic.hpp"

namespace mercer::support {

namespace {

// The machine without one fold, from price to price.
struct Chain {
  Quadratic problem;
  std::vector<double> beta;
  std::vector<double>
      f;  // Kβ at each point of the machine, and zeros up to a multiple of pass_step
  // Where the machine does not have all points: β that those outside of it were scored with, and by
  // how much that has been scaled since.
  std::vector<double> scored;
  double scaled = 1;
  double violation = 0;
  std::size_t moves = 0;
  bool converged = true;

  [[nodiscard]] double gradient(std::size_t v) const {
    return f[problem.place[v]] + problem.linear[v];
  }
  [[nodiscard]] bool grows(std::size_t v) const { return beta[v] < problem.upper[v]; }
  [[nodiscard]] bool shrinks(std::size_t v) const { return beta[v] > problem.lower[v]; }
};

// A machine, where another may begin.
struct Start {
  std::vector<double> beta = {};
  std::vector<double> f = {};
};

// What the folds of one thread have one after the other.
template <class T>
struct Workplace {
  Workplace(std::size_t points, const std::string& instructions)
      : corner(points), in_floats(instructions) {}
  Corner<T> corner;
  FloatInner in_floats;
};

template <class T>
class Trainer {
 public:
  Trainer(const AllValues<T>& K, const std::vector<std::size_t>& rows, const std::vector<double>& y,
          const HeldOutOptions& options, HeldOutMemory<T>& memory)
      : K_(K),
        rows_(rows),
        o_(options),
        memory_(memory),
        passes_(passes<T>(options.instructions)),
        variables_(options.regression ? 2 * rows.size() : rows.size()) {
    unit_.keeps_sum = o_.offset;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double w = o_.weights.empty() ? 1.0 : o_.weights[rows[i]];
      if (o_.regression) {
        variable(i, o_.epsilon - y[i], 0, w);
      } else {
        variable(i, -y[i], y[i] > 0 ? 0 : -w, y[i] > 0 ? w : 0);
      }
    }
    if (o_.regression)
      for (std::size_t i = 0; i < rows.size(); ++i)
        variable(i, -o_.epsilon - y[i], -unit_.upper[i], 0);
    result_.rows = rows;
    result_.scores.assign(o_.prices.size(), std::vector<double>(rows.size()));
    result_.support.assign(o_.prices.size(), 0);
    prepare_own_values();
  }

  HeldOut run() {
    const std::size_t folds = o_.folds.size() - 1;
    std::vector<std::vector<std::size_t>> support(folds);
    if (rows_.size() < K_.size) result_.outside.resize(folds);
    std::vector<Chain> chains(folds);
    // What is in the corner decides about rounding: threads must not decide about it.
    if (!o_.apart) {
      Workplace<T> place(rows_.size(), o_.instructions);
      for (std::size_t f = 0; f < folds; ++f) run(f, place, chains[f], support[f]);
    } else {
      parallel_for(folds, o_.threads, [&](std::size_t f) {
        Workplace<T> place(rows_.size(), o_.instructions);
        run(f, place, chains[f], support[f]);
      });
    }
    for (std::size_t f = 0; f < folds; ++f) {
      for (std::size_t c = 0; c < o_.prices.size(); ++c) result_.support[c] += support[f][c];
      result_.moves += chains[f].moves;
      result_.converged = result_.converged && chains[f].converged;
    }
    return std::move(result_);
  }

 private:
  void variable(std::size_t i, double linear, double lower, double upper) {
    unit_.place.push_back(i);
    unit_.linear.push_back(linear);
    unit_.lower.push_back(lower);
    unit_.upper.push_back(upper);
    unit_.group.push_back(0);
  }

  // Rows of K among the points of the machine, close together; K itself, where it has no others.
  // They are copied when they are first asked for: many never are. Where several threads may ask,
  // before that.
  void prepare_own_values() {
    if (rows_.size() == K_.size) return;
    const std::size_t stride = filled(rows_.size());
    if (memory_.own.size() < rows_.size() * stride) memory_.own = Aligned<T>(rows_.size() * stride);
    own_ = memory_.own.data();
    there_.assign(rows_.size(), 0);
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (!runs_.empty() && runs_.back().from + runs_.back().count == rows_[j]) {
        ++runs_.back().count;
      } else {
        runs_.push_back({rows_[j], j, 1});
      }
    }
    if (o_.apart)
      for (std::size_t i = 0; i < rows_.size(); ++i) copy_row(i);
  }
  void copy_row(std::size_t i) {
    const T* from = K_.row(rows_[i]);
    T* to = own_ + i * filled(rows_.size());
    for (const Run& r : runs_) std::copy_n(from + r.from, r.count, to + r.to);
    std::fill(to + rows_.size(), to + filled(rows_.size()), T(0));
    there_[i] = 1;
  }
  const T* row(std::size_t i) {
    if (own_ == nullptr) return K_.row(i);
    if (there_[i] == 0) copy_row(i);
    return own_ + i * filled(rows_.size());
  }

  void run(std::size_t fold, Workplace<T>& place, Chain& chain, std::vector<std::size_t>& support) {
    const std::size_t begin = o_.folds[fold];
    const std::size_t end = o_.folds[fold + 1];
    chain.problem = unit_;
    begin_with(start_, begin, end, chain);
    if (!result_.outside.empty()) chain.scored.assign(rows_.size(), 0);
    double before = 0;
    for (std::size_t c = 0; c < o_.prices.size(); ++c) {
      const double price = o_.prices[c];
      for (std::size_t v = 0; v < variables_; ++v) {
        const std::size_t at = rows_[unit_.place[v]];
        const double most = at >= begin && at < end ? 0 : price;
        chain.problem.lower[v] = most * unit_.lower[v];
        chain.problem.upper[v] = most * unit_.upper[v];
      }
      if (before > 0) scale(price / before, chain);
      if (chain.converged || !o_.give_up) solve(place, chain);
      if (c == 0 && !o_.apart) start_ = {chain.beta, chain.f};
      std::vector<double> sums(rows_.size());
      for (std::size_t v = 0; v < variables_; ++v) sums[unit_.place[v]] += chain.beta[v];
      support.push_back(
          static_cast<std::size_t>(std::ranges::count_if(sums, [](double b) { return b != 0; })));
      const double b = o_.offset ? -level(chain) : 0;
      if (!result_.outside.empty()) result_.outside[fold].push_back(to_add(sums, b, chain));
      score(begin, end, b, chain, result_.scores[c]);
      before = price;
    }
  }

  // The machine of the fold before, at the least price: without those of this fold, and with less
  // of the side that has more left, so that the sum is 0 again.
  void begin_with(const Start& start, std::size_t begin, std::size_t end, Chain& chain) {
    chain.beta = start.beta;
    chain.f = start.f;
    if (chain.beta.empty()) {
      chain.beta.assign(variables_, 0);
      chain.f.assign(filled(rows_.size()), 0);
      return;
    }
    double grown = 0;
    double shrunk = 0;
    for (std::size_t v = 0; v < variables_; ++v) {
      const std::size_t at = rows_[unit_.place[v]];
      if (at >= begin && at < end) chain.beta[v] = 0;
      (chain.beta[v] > 0 ? grown : shrunk) += chain.beta[v];
    }
    const double sum = grown + shrunk;
    if (unit_.keeps_sum && sum != 0) {
      const double share = sum > 0 ? -shrunk / grown : -grown / shrunk;
      for (double& b : chain.beta)
        if ((b > 0) == (sum > 0)) b *= share;
    }
    std::vector<const T*> rows;
    std::vector<double> by;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      double d = 0;
      for (std::size_t v = i; v < variables_; v += rows_.size()) d += chain.beta[v] - start.beta[v];
      if (d == 0) continue;
      rows.push_back(row(i));
      by.push_back(d);
    }
    passes_.add_rows(chain.f.data(), rows.data(), by.data(), rows.size(), 0, chain.f.size());
  }

  // Within the new bounds, and as near to the new optimum as this direction goes.
  void scale(double most, Chain& chain) const {
    double squared = 0;
    double linear = 0;
    for (std::size_t v = 0; v < variables_; ++v) {
      squared += chain.beta[v] * chain.f[unit_.place[v]];
      linear += chain.beta[v] * unit_.linear[v];
    }
    if (!(squared > 0)) return;
    const double s = std::clamp(-linear / squared, std::min(1.0, most), most);
    for (std::size_t v = 0; v < variables_; ++v)
      chain.beta[v] = std::clamp(s * chain.beta[v], chain.problem.lower[v], chain.problem.upper[v]);
    for (double& f : chain.f) f *= s;
    for (double& b : chain.scored) b *= s;
    chain.scaled = s;
  }

  // Those between their bounds, and those that violate optimality most, are solved for among
  // themselves; then the gradient of all is brought up to date, until nobody violates it.
  void solve(Workplace<T>& place, Chain& chain) {
    constexpr std::size_t most_idle = 100;  // steps that bring nothing
    std::size_t moves = 0;
    const std::size_t most_moves = o_.moves * variables_;
    double best = std::numeric_limits<double>::infinity();
    std::size_t idle = 0;
    while (true) {
      Stop::check();
      const auto chosen = choose(chain);
      if (chain.violation <= o_.tolerance) break;
      idle = chain.violation < best ? 0 : idle + 1;
      best = std::min(best, chain.violation);
      std::size_t now = 0;
      if (moves < most_moves && idle < most_idle) {
        place.corner.hold(chosen, [&](std::uint32_t p) { return row(p); });
        now = step(place, chain);
      }
      if (now == 0) {  // no more of them, or none that floats can tell
        chain.converged = false;
        break;
      }
      moves += now;
    }
    chain.moves += moves;
  }

  // Calls body(point, F, may grow, may shrink) for each variable.
  template <class Body>
  void for_all(const Chain& chain, const Body& body) const {
    const double* f = chain.f.data();
    for (std::size_t begin = 0; begin < variables_; begin += rows_.size()) {
      const double* beta = chain.beta.data() + begin;
      const double* linear = unit_.linear.data() + begin;
      const double* lower = chain.problem.lower.data() + begin;
      const double* upper = chain.problem.upper.data() + begin;
      for (std::size_t i = 0; i < rows_.size(); ++i)
        body(i, f[i] + linear[i], beta[i]<upper[i], beta[i]> lower[i]);
    }
  }
  [[nodiscard]] Extremes extremes(const Chain& chain) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Extremes all{infinite, -infinite};
    for (std::size_t begin = 0; begin < variables_; begin += rows_.size()) {
      Extremes e{};
      passes_.extremes(chain.f.data(), unit_.linear.data() + begin, chain.beta.data() + begin,
                       chain.problem.lower.data() + begin, chain.problem.upper.data() + begin,
                       rows_.size(), e.least, e.largest);
      all = {std::min(all.least, e.least), std::max(all.largest, e.largest)};
    }
    return all;
  }

  // Points, ascending; none where all is well.
  std::vector<std::uint32_t> choose(Chain& chain) const {
    Extremes e = extremes(chain);
    if (!unit_.keeps_sum) e = {std::min(e.least, 0.0), std::max(e.largest, 0.0)};
    chain.violation = unit_.keeps_sum ? e.violation() : std::max(-e.least, e.largest);
    if (!(chain.violation > o_.tolerance)) return {};
    if (!unit_.keeps_sum) e = {0, 0};
    // That may grow only, that may shrink only, that are free.
    std::array<std::vector<std::pair<double, std::uint32_t>>, 3> sides;
    for_all(chain, [&](std::size_t i, double F, bool grows, bool shrinks) {
      const double by = std::max(grows ? e.largest - F : 0.0, shrinks ? F - e.least : 0.0);
      if (by > 0)
        sides[grows && shrinks ? 2
              : grows          ? 0
                               : 1]
            .emplace_back(-by, static_cast<std::uint32_t>(i));
    });
    // Of those at a bound few at a time: most of them move in vain. Measured.
    const std::size_t few = o_.regression ? 48 : 24;
    const std::array<std::size_t, 3> most{few, few, 1536};
    std::vector<std::uint32_t> chosen;
    for (std::size_t s = 0; s < sides.size(); ++s) {
      auto& side = sides[s];
      if (side.size() > most[s]) {
        std::nth_element(side.begin(), side.begin() + static_cast<std::ptrdiff_t>(most[s]),
                         side.end());
        side.resize(most[s]);
      }
      for (const auto& [by, p] : side) chosen.push_back(p);
    }
    std::ranges::sort(chosen);
    // Both variables of a point.
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }

  // Returns the number of moves.
  std::size_t step(Workplace<T>& place, Chain& chain) {
    if (const std::size_t moves = step_in_floats(place, chain); moves > 0) return moves;
    const Corner<T>& corner = place.corner;
    const std::size_t m = corner.size();
    Inner<T> inner(m, o_.regression ? m : 0, unit_.keeps_sum, o_.instructions);
    const std::size_t stretches = o_.regression ? 2 : 1;
    const double base = base_of(chain);
    for (std::size_t s = 0; s < stretches; ++s)
      for (std::size_t k = 0; k < m; ++k) {
        const std::size_t v = corner.point(k) + s * rows_.size();
        const T* row = corner.row(k);
        inner.set_with(row[k], inner.place(s, k), row, o_.regression ? row : nullptr, chain.beta[v],
                       chain.gradient(v) - base, chain.problem.lower[v], chain.problem.upper[v], 0);
      }
    const auto end =
        inner.solve(inner_tolerance(chain), std::min<std::size_t>(o_.moves, 200) * m * stretches);
    take_over(corner, chain,
              [&](std::size_t s, std::size_t k) { return inner.beta(inner.place(s, k)); });
    return end.moves;
  }

  // Where floats will do. None: nothing was moved.
  std::size_t step_in_floats(Workplace<T>& place, Chain& chain) {
    constexpr double fine = 1e-4;  // what gradients in floats cannot tell
    if constexpr (std::is_same_v<T, float>) {
      if (o_.regression || !unit_.keeps_sum || o_.tolerance < fine) return 0;
      const Corner<T>& corner = place.corner;
      FloatInner& inner = place.in_floats;
      const double base = base_of(chain);
      inner.begin(corner.size());
      for (std::size_t k = 0; k < corner.size(); ++k) {
        const std::size_t v = corner.point(k);
        inner.set(k, corner.row(k), chain.beta[v], chain.gradient(v) - base, chain.problem.lower[v],
                  chain.problem.upper[v]);
      }
      const auto end = inner.solve(static_cast<float>(inner_tolerance(chain)),
                                   std::min<std::size_t>(o_.moves, 200) * corner.size());
      if (end.moves > 0)
        take_over(corner, chain, [&](std::size_t, std::size_t k) { return inner.beta(k); });
      return end.moves;
    }
    return 0;
  }

  // Gradients are compared with each other, where the sum is kept: floats tell more of their
  // differences from the level that those between their bounds come to, however large that is.
  [[nodiscard]] double base_of(const Chain& chain) const {
    return unit_.keeps_sum ? level(chain) : 0;
  }

  [[nodiscard]] double inner_tolerance(const Chain& chain) const {
    return std::max(0.5 * o_.tolerance, 0.05 * chain.violation);
  }

  // What is at a bound but for rounding is there: those between their bounds tell the offset.
  static double settled(double beta, double lower, double upper) {
    const double near = 1e-12 * (upper - lower);
    return beta - lower <= near ? lower : upper - beta <= near ? upper : beta;
  }

  // The new β of the variables in the corner, by stretch and slot, and what follows for f.
  template <class Beta>
  void take_over(const Corner<T>& corner, Chain& chain, const Beta& beta_of) {
    std::vector<const T*> rows;
    std::vector<double> by;
    for (std::size_t k = 0; k < corner.size(); ++k) {
      double d = 0;
      for (std::size_t s = 0; s < (o_.regression ? 2 : 1); ++s) {
        const std::size_t v = corner.point(k) + s * rows_.size();
        const double now = settled(beta_of(s, k), chain.problem.lower[v], chain.problem.upper[v]);
        d += now - chain.beta[v];
        chain.beta[v] = now;
      }
      if (d == 0) continue;
      rows.push_back(row(corner.point(k)));
      by.push_back(d);
    }
    passes_.add_rows(chain.f.data(), rows.data(), by.data(), rows.size(), 0, chain.f.size());
  }

  // Of those strictly between their bounds the mean of F, else the middle of what is possible.
  [[nodiscard]] double level(const Chain& chain) const {
    double sum = 0;
    double count = 0;
    for_all(chain, [&](std::size_t, double F, bool grows, bool shrinks) {
      sum += grows && shrinks ? F : 0.0;
      count += grows && shrinks ? 1 : 0;
    });
    if (count > 0) return sum / count;
    const Extremes e = extremes(chain);
    if (!std::isfinite(e.least)) return e.largest;
    if (!std::isfinite(e.largest)) return e.least;
    return 0.5 * (e.least + e.largest);
  }

  // `beta`: of each point of the machine.
  Outside to_add(const std::vector<double>& beta, double b, Chain& chain) const {
    Outside add{.scaled = chain.scaled, .offset = b};
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double change = beta[i] - chain.scored[i];
      if (change == 0) continue;
      add.rows.push_back(static_cast<std::uint32_t>(rows_[i]));
      add.by.push_back(change);
    }
    chain.scored = beta;
    chain.scaled = 1;
    return add;
  }

  // Points of the machine in the fold, [begin, end), have their score already.
  void score(std::size_t begin, std::size_t end, double b, const Chain& chain,
             std::vector<double>& to) const {
    const auto own = std::ranges::lower_bound(rows_, begin);
    for (auto i = own; i != rows_.end() && *i < end; ++i) {
      const auto at = static_cast<std::size_t>(i - rows_.begin());
      to[at] = chain.f[at] + b;
    }
  }

  const AllValues<T>& K_;
  const std::vector<std::size_t>& rows_;
  const HeldOutOptions& o_;
  HeldOutMemory<T>& memory_;
  const Passes<T>& passes_;
  std::size_t variables_;
  Quadratic unit_;    // of C = 1
  T* own_ = nullptr;  // in it; null: K itself
  struct Run {        // columns that stand together in K
    std::size_t from;
    std::size_t to;
    std::size_t count;
  };
  std::vector<Run> runs_;
  std::vector<char> there_;  // rows of own_ that have been copied
  Start start_;              // what the next fold begins with
  HeldOut result_;
};

}  // namespace

template <class T>
HeldOut hold_out(const AllValues<T>& K, const std::vector<std::size_t>& rows,
                 const std::vector<double>& y, const HeldOutOptions& options,
                 HeldOutMemory<T>& memory) {
  return Trainer<T>(K, rows, y, options, memory).run();
}

template HeldOut hold_out(const AllValues<float>&, const std::vector<std::size_t>&,
                          const std::vector<double>&, const HeldOutOptions&, HeldOutMemory<float>&);
template HeldOut hold_out(const AllValues<double>&, const std::vector<std::size_t>&,
                          const std::vector<double>&, const HeldOutOptions&,
                          HeldOutMemory<double>&);

}  // namespace mercer::support
