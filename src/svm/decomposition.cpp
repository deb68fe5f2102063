#include "svm/decomposition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"
#include "svm/face.hpp"

namespace mercer::support {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t usual_set = 2048;
constexpr std::uint32_t absent = ~std::uint32_t{0};
// Of a kernel value, what is lost in a float: see rounding().
constexpr double float_share = 1.2e-7;
// With β k as large, a gradient of 1 is lost in doubles; where all k are 0, β grows in vain.
double most_beta(double largest_value) {
  constexpr double lost = 1e16;
  constexpr double most = 1e100;
  return largest_value > 0 ? std::min(most, lost / largest_value) : 1;
}

}  // namespace

template <class T>
Decomposition<T>::Decomposition(const Gram& K, const Quadratic& problem,
                                const SolveOptions& options, const TwoStretches<T>* given,
                                const Known& known, const Solution& before)
    : K_(K),
      problem_(problem),
      options_(options),
      given_(given),
      had_(known),
      passes_(passes<T>(options.instructions)),
      beta_(problem.start),
      known_f_(K.rows()),
      known_(K.rows()) {
  result_.rounds = before.rounds;
  result_.moves = before.moves;
  result_.rows = before.rows;
  beta_.resize(problem.size());
  unbounded_ = std::ranges::any_of(problem.upper, [](double u) { return std::isinf(u); }) ||
               std::ranges::any_of(problem.lower, [](double l) { return std::isinf(l); });
  for (const auto g : problem.group) groups_ = std::max<std::size_t>(groups_, g + std::size_t{1});
  most_at_once_ = options.working_set != 0 ? std::max<std::size_t>(options.working_set, 4)
                  : problem.size() <= few  ? problem.size()
                                           : usual_set;
  if (options.continuation.from != nullptr) {
    go_on_from(*options.continuation.from);
    return;
  }
  std::vector<std::uint32_t> all(problem.size());
  std::iota(all.begin(), all.end(), 0U);
  now_ = level_of(all);
  if (std::ranges::any_of(beta_, [](double b) { return b != 0; })) {
    std::vector<double> sums(now_.points.size());
    for (std::size_t k = 0; k < now_.size(); ++k) sums[now_.place[k]] += now_.beta[k];
    std::vector<std::uint32_t> places;
    std::vector<double> by;
    for (std::size_t p = 0; p < sums.size(); ++p) {
      if (sums[p] == 0) continue;
      places.push_back(static_cast<std::uint32_t>(p));
      by.push_back(sums[p]);
    }
    if (given_ != nullptr) {
      change_by_given(places, by);
    } else {
      change(places, by);
    }
  }
  write_back();
}

template <class T>
typename Decomposition<T>::Level Decomposition<T>::level_of(
    const std::vector<std::uint32_t>& variables) const {
  Level level;
  level.variables = variables;
  const std::size_t count = variables.size();
  level.place.reserve(count);
  level.points.reserve(count);
  level.linear.reserve(count);
  level.lower.reserve(count);
  level.upper.reserve(count);
  level.beta.reserve(count);
  level.group.reserve(count);
  std::vector<std::uint32_t> numbers(K_.rows(), absent);
  for (const std::uint32_t v : level.variables) {
    std::uint32_t& number = numbers[problem_.place[v]];
    if (number == absent) {
      number = static_cast<std::uint32_t>(level.points.size());
      level.points.push_back(problem_.place[v]);
    }
    level.place.push_back(number);
    level.linear.push_back(problem_.linear[v]);
    level.lower.push_back(problem_.lower[v]);
    level.upper.push_back(problem_.upper[v]);
    level.beta.push_back(beta_[v]);
    level.group.push_back(problem_.group.empty() ? std::uint8_t{0} : problem_.group[v]);
  }
  level.f.resize(filled(level.points.size()));
  for (std::size_t p = 0; p < level.points.size(); ++p) level.f[p] = known_f_[level.points[p]];
  bool all = level.points.size() == K_.rows();
  for (std::size_t p = 0; all && p < level.points.size(); ++p) all = level.points[p] == p;
  if (!all) level.part = K_.part(level.points, options_.threads);
  level.rows.emplace(level.points.size(), K_.report().cost < cheap_value ? 0 : options_.memory);
  return level;
}

template <class T>
void Decomposition<T>::write_back() {
  std::ranges::fill(known_, 0.0);
  for (std::size_t k = 0; k < now_.size(); ++k) beta_[now_.variables[k]] = now_.beta[k];
  for (std::size_t v = 0; v < beta_.size(); ++v) known_[problem_.place[v]] += beta_[v];
  for (std::size_t p = 0; p < now_.points.size(); ++p) known_f_[now_.points[p]] = now_.f[p];
}

template <class T>
State Decomposition<T>::state() const {
  State s;
  s.beta = beta_;
  for (std::size_t k = 0; k < now_.size(); ++k) s.beta[now_.variables[k]] = now_.beta[k];
  s.variables.assign(now_.variables.begin(), now_.variables.end());
  s.f.assign(now_.f.begin(), now_.f.begin() + static_cast<std::ptrdiff_t>(now_.points.size()));
  s.newest.assign(newest_.begin(), newest_.end());
  if (!whole()) {
    s.known_f = known_f_;
    s.known = known_;
  }
  s.rows.assign(now_.rows->held().begin(), now_.rows->held().end());
  s.rows_used.assign(now_.rows->used().begin(), now_.rows->used().end());
  s.next_row = now_.rows->next();
  s.rounds = result_.rounds;
  s.moves = result_.moves;
  s.computed = result_.rows;
  s.since_better = since_better_;
  s.last_active = last_active_;
  s.looked_early = looked_early_ ? 1 : 0;
  s.in_double = std::is_same_v<T, double> ? 1 : 0;
  s.best_objective = best_objective_;
  s.largest_value = largest_value_;
  s.violation_aside = violation_aside_;
  s.shrinks = shrinks_ ? 1 : 0;
  s.work = work_;
  s.faces = faces_ ? 1 : 0;
  s.looked_at = looked_at_;
  s.objective_then = objective_then_;
  s.violation_then = violation_then_;
  s.in_vain = in_vain_;
  return s;
}

// What could lead out of bounds, or to a β that is none of this problem.
template <class T>
void Decomposition<T>::check(const State& s) const {
  const auto distinct_below = [](const std::vector<std::uint64_t>& numbers, std::size_t end) {
    std::vector<char> seen(end);
    return std::ranges::all_of(
        numbers, [&](std::uint64_t i) { return i < end && std::exchange(seen[i], 1) == 0; });
  };
  const auto finite = [](const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); });
  };
  bool fits =
      s.beta.size() == problem_.size() && s.rounds > 0 && s.looked_early <= 1 &&
      s.in_double == (std::is_same_v<T, double> ? 1 : 0) &&
      distinct_below(s.variables, problem_.size()) && !s.variables.empty() &&
      distinct_below(s.newest, s.variables.size()) && s.newest.size() <= most_at_once_ / 2 &&
      distinct_below(s.rows, s.f.size()) && s.rows_used.size() == s.rows.size() &&
      s.next_row < std::max<std::size_t>(1, s.rows.size()) && finite(s.f) && finite(s.known_f) &&
      finite(s.known) && std::isfinite(s.best_objective) && std::isfinite(s.largest_value) &&
      s.largest_value >= 0 && std::isfinite(s.violation_aside) && s.shrinks <= 1 &&
      std::isfinite(s.work) && s.faces <= 1 && std::isfinite(s.looked_at) &&
      std::isfinite(s.objective_then) && std::isfinite(s.violation_then);
  for (std::size_t v = 0; fits && v < s.beta.size(); ++v)
    fits = s.beta[v] >= problem_.lower[v] && s.beta[v] <= problem_.upper[v] &&
           std::isfinite(s.beta[v]);
  const std::size_t aside = s.variables.size() < problem_.size() ? K_.rows() : 0;
  fits = fits && s.known.size() == aside && s.known_f.size() == aside &&
         std::ranges::all_of(s.rows_used, [&](std::uint64_t r) { return r <= s.rounds; });
  if (!fits) throw Error("the state to go on from is none of this problem");
}

template <class T>
void Decomposition<T>::go_on_from(const State& s) {
  check(s);
  beta_ = s.beta;
  if (!s.known.empty()) {
    known_f_ = s.known_f;
    known_ = s.known;
  }
  now_ = level_of({s.variables.begin(), s.variables.end()});
  if (now_.points.size() != s.f.size() || s.rows.size() > now_.rows->most())
    throw Error("the state to go on from is none of this problem");
  std::ranges::copy(s.f, now_.f.begin());
  const std::vector<std::size_t> held(s.rows.begin(), s.rows.end());
  const auto to = now_.rows->restore(held, {s.rows_used.begin(), s.rows_used.end()}, s.next_row);
  if (!held.empty()) gram().rows_to(held, std::span<T* const>(to));
  newest_.assign(s.newest.begin(), s.newest.end());
  result_.rounds = s.rounds;
  result_.moves = s.moves;
  result_.rows = s.computed;
  since_better_ = s.since_better;
  last_active_ = s.last_active;
  looked_early_ = s.looked_early == 1;
  best_objective_ = s.best_objective;
  largest_value_ = s.largest_value;
  violation_aside_ = s.violation_aside;
  shrinks_ = s.shrinks == 1;
  work_ = s.work;
  faces_ = s.faces == 1;
  looked_at_ = s.looked_at;
  objective_then_ = s.objective_then;
  violation_then_ = s.violation_then;
  in_vain_ = s.in_vain;
}

template <class T>
void Decomposition<T>::look() {
  for (auto& e : extremes_) e = {infinite, -infinite};
  violation_ = 0;
  for (std::size_t k = 0; k < now_.size(); ++k) {
    const double F = now_.gradient(k);
    Extremes& e = extremes_[now_.group[k]];
    if (now_.grows(k)) e.least = std::min(e.least, F);
    if (now_.shrinks(k)) e.largest = std::max(e.largest, F);
  }
  for (std::size_t g = 0; g < groups_; ++g)
    violation_ = std::max(violation_, problem_.keeps_sum
                                          ? extremes_[g].violation()
                                          : std::max(-extremes_[g].least, extremes_[g].largest));
  squares_ = squares();
  rounding_ = rounding();
  tolerance_ = tolerance_here();
}

// Divided by the margin r, the rule is to have the stated tolerance; and since 2 Σβ r is |w|² and
// what examples fall short by, the gap beside |w|² is to be small, too. As long as r is not known
// for what violates optimality, a tenth of that.
template <class T>
double Decomposition<T>::tolerance_here() const {
  const double stated = options_.tolerance;
  if (!options_.by_margin || violation_ > stated) return stated;
  const auto middle = [](const Extremes& e) {
    if (!std::isfinite(e.least)) return e.largest;
    return std::isfinite(e.largest) ? 0.5 * (e.least + e.largest) : e.least;
  };
  double unit = std::min(1.0, 0.5 * (middle(extremes_[0]) - middle(extremes_[1])) - violation_);
  if (whole()) {
    constexpr double share = 10;
    const Progress p = progress();
    if (p.size_of_beta > 0) unit = std::min(unit, share * p.squared_norm / p.size_of_beta);
  }
  constexpr double less = 0.1;
  return std::max(stated * unit, less * violation_);
}

// Each float is off by some share of it, and these errors add up like random ones: F is off by that
// share of k times √Σβ². Measured on data sets with C up to 1e6: two to three roundings.
template <class T>
double Decomposition<T>::rounding() const {
  if constexpr (std::is_same_v<T, double>) return 0;
  return squares_ > 0 ? float_share * largest_value_ * std::sqrt(squares_) : 0;
}

// In the order of all variables, whoever is looked at: it must not depend on when they were.
template <class T>
double Decomposition<T>::squares() const {
  double squares = 0;
  if (whole()) {
    for (const double b : now_.beta) squares += b * b;
    return squares;
  }
  std::vector<double> beta = beta_;
  for (std::size_t k = 0; k < now_.size(); ++k) beta[now_.variables[k]] = now_.beta[k];
  for (const double b : beta) squares += b * b;
  return squares;
}

template <class T>
Progress Decomposition<T>::progress() const {
  Progress p{result_.rounds,           result_.moves, violation_, 0, now_.size(), 0, 0,
             std::is_same_v<T, double>};
  for (std::size_t k = 0; k < now_.size(); ++k) {
    const double f = now_.f[now_.place[k]];
    p.squared_norm += now_.beta[k] * f;
    p.size_of_beta += std::abs(now_.beta[k]);
    p.objective += now_.beta[k] * (0.5 * f + now_.linear[k]);
  }
  return p;
}

// At a bound, and pushed against it by more than any that could move it.
template <class T>
bool Decomposition<T>::beyond(std::size_t k) const {
  const double F = now_.gradient(k);
  const Extremes& e = extremes_[now_.group[k]];
  const double largest = problem_.keeps_sum ? e.largest : 0;
  const double least = problem_.keeps_sum ? e.least : 0;
  if (!now_.shrinks(k)) return F > largest;
  if (!now_.grows(k)) return F < least;
  return false;
}

template <class T>
void Decomposition<T>::shrink() {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> number(now_.size(), absent);
  for (std::size_t k = 0; k < now_.size(); ++k) {
    if (beyond(k)) continue;
    number[k] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(now_.variables[k]);
  }
  constexpr double worth = 0.7;
  if (static_cast<double>(kept.size()) > worth * static_cast<double>(now_.size())) return;
  if (whole()) {
    write_back();
    violation_aside_ = violation_;
  } else {
    for (std::size_t k = 0; k < now_.size(); ++k) beta_[now_.variables[k]] = now_.beta[k];
  }
  Level level = level_of(kept);
  // What is known of those that stay.
  std::vector<std::uint32_t> place_in_old(K_.rows(), absent);
  for (std::size_t p = 0; p < now_.points.size(); ++p)
    place_in_old[now_.points[p]] = static_cast<std::uint32_t>(p);
  std::vector<std::uint32_t> from(level.points.size());
  for (std::size_t p = 0; p < level.points.size(); ++p) {
    from[p] = place_in_old[level.points[p]];
    level.f[p] = now_.f[from[p]];
  }
  std::vector<std::pair<const T*, T*>> moved;
  for (std::size_t p = 0; p < level.points.size(); ++p)
    if (const T* row = now_.rows->find(from[p], result_.rounds))
      if (T* to = level.rows->add(p, result_.rounds)) moved.emplace_back(row, to);
  parallel_for(moved.size(), options_.threads, [&](std::size_t r) {
    for (std::size_t c = 0; c < from.size(); ++c) moved[r].second[c] = moved[r].first[from[c]];
  });
  std::vector<std::uint32_t> newest;
  for (const std::uint32_t k : newest_)
    if (number[k] != absent) newest.push_back(number[k]);
  newest_ = std::move(newest);
  now_ = std::move(level);
  tile_of_all_ = false;
}

// Brings the gradient of those left aside up to date by what has changed since.
template <class T>
void Decomposition<T>::look_at_all() {
  std::vector<double> sums(K_.rows());
  for (std::size_t k = 0; k < now_.size(); ++k) beta_[now_.variables[k]] = now_.beta[k];
  for (std::size_t v = 0; v < beta_.size(); ++v) sums[problem_.place[v]] += beta_[v];
  std::vector<std::size_t> changed;
  std::vector<double> by;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (sums[r] == known_[r]) continue;
    changed.push_back(r);
    by.push_back(sums[r] - known_[r]);
  }
  std::vector<char> here(K_.rows());
  for (std::size_t p = 0; p < now_.points.size(); ++p) {
    here[now_.points[p]] = 1;
    known_f_[now_.points[p]] = now_.f[p];
  }
  std::vector<std::size_t> aside;
  for (const std::size_t r : problem_.place)
    if (here[r] == 0) {
      here[r] = 1;
      aside.push_back(r);
    }
  std::vector<double> more(aside.size());
  K_.apply(aside, changed, by, 1, more);
  result_.rows += changed.size() * aside.size() / std::max<std::size_t>(1, K_.rows());
  for (std::size_t i = 0; i < aside.size(); ++i) known_f_[aside[i]] += more[i];
  known_ = std::move(sums);
  std::vector<std::uint32_t> old_variables;
  for (const std::uint32_t k : newest_) old_variables.push_back(now_.variables[k]);
  std::vector<std::uint32_t> all(problem_.size());
  std::iota(all.begin(), all.end(), 0U);
  now_ = level_of(all);
  newest_ = std::move(old_variables);  // numbers are those of the problem again
  tile_of_all_ = false;
}

template <class T>
void Decomposition<T>::take_most(std::vector<std::pair<double, std::uint32_t>>& candidates,
                                 std::size_t count, std::vector<std::uint32_t>& chosen) {
  if (candidates.size() > count) {
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                     candidates.end());
    candidates.resize(count);
  }
  for (const auto& [F, k] : candidates) {
    if (in_set_[k] != 0) continue;
    in_set_[k] = 1;
    chosen.push_back(k);
  }
}

// The tile of a working set should not cost more than the rows that change: where few do in a
// round, fewer are solved for at a time.
template <class T>
std::size_t Decomposition<T>::set_size() const {
  if (options_.working_set != 0) return most_at_once_;
  constexpr double at_first = 32;
  constexpr std::size_t least = 256;
  const auto rows = static_cast<double>(result_.rows) + at_first;
  const double each = rows / static_cast<double>(std::max<std::size_t>(result_.rounds, 1));
  const double balanced = std::sqrt(0.5 * each * static_cast<double>(now_.points.size()));
  return std::clamp(filled(static_cast<std::size_t>(balanced)), least, most_at_once_);
}

// The working set: the newest of the last one, and those that violate most. Empty where all of them
// are in it.
template <class T>
std::vector<std::uint32_t> Decomposition<T>::choose() {
  std::vector<std::uint32_t> chosen;
  in_set_.assign(now_.size(), 0);
  for (const std::uint32_t k : newest_) {
    in_set_[k] = 1;
    chosen.push_back(k);
  }
  const std::size_t kept = chosen.size();
  std::vector<std::pair<double, std::uint32_t>> up;
  std::vector<std::pair<double, std::uint32_t>> low;
  const std::size_t size = std::max(set_size(), 2 * kept);
  const std::size_t each = (size - kept) / (2 * groups_);
  for (std::size_t g = 0; g < groups_; ++g) {
    const double least = problem_.keeps_sum ? extremes_[g].least : 0;
    const double largest = problem_.keeps_sum ? extremes_[g].largest : 0;
    up.clear();
    low.clear();
    for (std::size_t k = 0; k < now_.size(); ++k) {
      if (now_.group[k] != g || in_set_[k] != 0) continue;
      const double F = now_.gradient(k);
      if (F < largest && now_.grows(k)) up.emplace_back(F, static_cast<std::uint32_t>(k));
      if (F > least && now_.shrinks(k)) low.emplace_back(-F, static_cast<std::uint32_t>(k));
    }
    take_most(up, each, chosen);
    take_most(low, each, chosen);
  }
  newest_.assign(chosen.begin() + static_cast<std::ptrdiff_t>(kept), chosen.end());
  const std::size_t half = size / 2;
  if (newest_.size() > half) newest_.resize(half);
  return chosen;
}

// Large tiles go into large pages: touching them for the first time costs as much as filling them.
template <class T>
void Decomposition<T>::make_room(std::size_t values) {
  if (tile_size_ >= values) return;
  constexpr std::size_t large = std::size_t{4} << 20U;
  large_tile_ = {};
  small_tile_ = {};
  if (values * sizeof(T) >= large) {
    // Of one size, so that others may have it: what is not touched costs nothing.
    large_tile_ = Lent(had_.pool != nullptr ? *had_.pool : own_pool_,
                       std::max(values, few * few) * sizeof(T));
    tile_ = static_cast<T*>(large_tile_.data());
  } else {
    small_tile_ = Aligned<T>(values);
    tile_ = small_tile_.data();
  }
  tile_size_ = values;
}

// K among the chosen, row by row with a multiple of pass_step each.
template <class T>
const T* Decomposition<T>::tile_of(const std::vector<std::uint32_t>& chosen) {
  const std::size_t n = chosen.size();
  const std::size_t stride = filled(n);
  make_room(n * stride);
  std::vector<std::size_t> places(n);
  std::ranges::transform(chosen, places.begin(), [&](std::uint32_t k) { return now_.place[k]; });
  std::vector<std::size_t> missing;
  std::vector<std::size_t> at;
  std::vector<const T*> known(n);
  for (std::size_t i = 0; i < n; ++i) {
    known[i] = now_.rows->find(places[i], result_.rounds);
    if (known[i] != nullptr) continue;
    missing.push_back(places[i]);
    at.push_back(i);
  }
  parallel_for(n, options_.threads, [&](std::size_t i) {
    T* to = tile_ + i * stride;
    std::fill(to + n, to + stride, T(0));
    if (known[i] != nullptr)
      for (std::size_t j = 0; j < n; ++j) to[j] = known[i][places[j]];
  });
  if (missing.size() == n) {
    gram().block(places, places, tile_, stride);
  } else if (!missing.empty()) {
    std::vector<T> values(missing.size() * n);
    gram().block(missing, places, values.data(), n);
    for (std::size_t i = 0; i < missing.size(); ++i)
      std::copy_n(values.data() + i * n, n, tile_ + at[i] * stride);
  }
  return tile_;
}

// Whether rows of K are computed as they are needed: in problems that are small from the beginning,
// of those that are left of a large one most variables move. Here variables are points, in their
// order.
template <class T>
bool Decomposition<T>::rows_suffice() const {
  if (given_ != nullptr || tile_of_all_ || problem_.size() > few || now_.size() != K_.rows() ||
      !better_on_demand(K_))
    return false;
  for (std::size_t k = 0; k < now_.size(); ++k)
    if (now_.place[k] != k) return false;
  return true;
}

// The same values, so that it matters to the time alone when they are computed.
template <class T>
void Decomposition<T>::take_all() {
  if (demanded_ && had_.all) {
    given_ = std::get_if<TwoStretches<T>>(&had_.all());
    if (given_ != nullptr) return;
  }
  std::vector<std::uint32_t> all(now_.size());
  std::iota(all.begin(), all.end(), 0U);
  tile_of(all);
  tile_of_all_ = true;
}

// All variables at once: K among them is computed once, and serves to the end.
template <class T>
void Decomposition<T>::step_with_all() {
  const std::size_t n = now_.size();
  if (rows_suffice()) {
    if (!demanded_) demanded_.emplace(K_, had_.slabs != nullptr ? *had_.slabs : own_slabs_);
  } else if (given_ == nullptr && !tile_of_all_) {
    take_all();
  }
  const bool on_demand = given_ != nullptr ? !given_->is_whole() : !tile_of_all_;
  if (diagonal_.size() != n) diagonal_ = had_.diagonal;
  if (on_demand && diagonal_.size() != n) diagonal_ = diagonal_of(K_, options_.threads);
  const std::size_t first = given_ != nullptr       ? given_->first
                            : on_demand && had_.all ? had_.first
                                                    : n;
  const auto row = [&](std::size_t k, std::size_t stretch) -> const T* {
    return stretch == 1 && first == n ? nullptr : row_at_hand(k, stretch);
  };
  Inner<T> inner(first, n - first, problem_.keeps_sum, options_.instructions);
  const auto at = [&](std::size_t k) { return k < first ? k : inner.place(1, k - first); };
  if (on_demand)
    inner.on_demand(
        [&](std::span<const std::uint32_t> some, std::span<const T*> rows_first,
            std::span<const T*> rows_second) {
          which_.clear();
          for (const std::uint32_t a : some)
            which_.push_back(a < filled(first) ? a : a - filled(first) + first);
          // From here on all of K, with half of its values mirrored, is less work than rows are.
          constexpr std::size_t share = 3;
          if (on_its_own() && demanded_->computed() + which_.size() > n / share) take_all();
          if (on_its_own()) demanded_->compute(which_);
          if (given_ != nullptr) given_->need(which_);
          for (std::size_t i = 0; i < some.size(); ++i) {
            rows_first[i] = row(which_[i], 0);
            rows_second[i] = row(which_[i], 1);
          }
        },
        rows_together(K_));
  for (std::size_t k = 0; k < n; ++k) {
    T value = 0;
    if (diagonal_.size() == n) {
      value = static_cast<T>(diagonal_[k]);
    } else if (const T* own = row(k, k < first ? 0 : 1); own != nullptr) {
      value = own[k < first ? k : k - first];
    }
    inner.set_with(value, at(k), row(k, 0), row(k, 1), now_.beta[k], now_.gradient(k),
                   now_.lower[k], now_.upper[k], now_.group[k]);
    note_value(value);
  }
  prepare(inner, 0);
  // As exactly as is worth while before most variables are left aside.
  constexpr double share = 0.05;
  const double enough = std::max(0.5 * tolerance_, rounding_);
  const double tolerance = may_leave_aside() ? std::max(enough, share * violation_) : enough;
  const auto end = inner.solve(tolerance, moves_left(n));
  result_.moves += end.moves;
  for (const std::uint32_t a : end.for_ever)
    result_.descends_for_ever.push_back(
        problem_.place[now_.variables[a < filled(first) ? a : a - filled(first) + first]]);
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<double> beta(n);
  for (std::size_t k = 0; k < n; ++k) beta[k] = inner.beta(at(k));
  move_by_rows(all, beta, first);
}

// Whether variables of a small problem are left aside: where all of K is computed anyway, whoever
// has it, and there are so many that finding out which pays.
template <class T>
bool Decomposition<T>::may_leave_aside() const {
  constexpr std::size_t many = 512;
  return options_.shrinking && options_.working_set == 0 && problem_.size() <= few && whole() &&
         now_.size() >= many && !better_on_demand(K_);
}

// The others are at a bound, and beyond all that could move them. None where they are too few, or
// nothing has moved yet.
template <class T>
std::vector<std::uint32_t> Decomposition<T>::those_that_move() const {
  std::vector<std::uint32_t> some;
  if (result_.rounds <= 1 || !may_leave_aside()) return some;
  for (std::size_t k = 0; k < now_.size(); ++k)
    if (!beyond(k)) some.push_back(static_cast<std::uint32_t>(k));
  constexpr double worth = 0.6;
  if (static_cast<double>(some.size()) > worth * static_cast<double>(now_.size())) some.clear();
  return some;
}

// K among these from rows that are at hand, whose first piece is of so many variables.
template <class T>
void Decomposition<T>::copy_tile(const std::vector<std::uint32_t>& some, std::size_t first, T* tile,
                                 std::size_t stride) const {
  if (given_ != nullptr) given_->need({some.begin(), some.end()});
  const auto split = static_cast<std::size_t>(std::ranges::lower_bound(some, first) - some.begin());
  // Rows are far, and read once: the next one is on its way while this one is copied.
  const auto ask_for = [&](std::size_t k) {
    constexpr std::size_t line = cache_line / sizeof(T);
    const T* row = row_at_hand(k, 0);
    for (std::size_t j = 0; j < first; j += line) __builtin_prefetch(row + j);
    if (first < now_.size()) row = row_at_hand(k, 1);
    for (std::size_t j = first; j < now_.size(); j += line) __builtin_prefetch(row + j - first);
  };
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (i + 1 < some.size()) ask_for(some[i + 1]);
    T* to = tile + i * stride;
    const T* from = row_at_hand(some[i], 0);
    for (std::size_t j = 0; j < split; ++j) to[j] = from[some[j]];
    if (split < some.size()) from = row_at_hand(some[i], 1);
    for (std::size_t j = split; j < some.size(); ++j) to[j] = from[some[j] - first];
    std::fill(to + some.size(), to + stride, T(0));
  }
}

// Some of the variables, by what is at hand of K; the gradient of all by its rows.
template <class T>
void Decomposition<T>::step_with(const std::vector<std::uint32_t>& some) {
  if (given_ == nullptr && !tile_of_all_) take_all();
  const std::size_t first = given_ != nullptr ? given_->first : now_.size();
  const std::size_t stride = filled(some.size());
  // Of one size, so that others may have it: what is not touched costs nothing.
  if (some_tile_.data() == nullptr)
    some_tile_ = Lent(had_.pool != nullptr ? *had_.pool : own_pool_, few * few * sizeof(T));
  T* tile = static_cast<T*>(some_tile_.data());
  if (K_.report().cost < cheap_value) {
    // Sooner computed again than read from where it is.
    std::vector<std::size_t> points;
    points.reserve(some.size());
    for (const std::uint32_t k : some) points.push_back(now_.points[now_.place[k]]);
    K_.part(points, options_.threads).block(Rows::all(), Rows::all(), tile, stride);
    for (std::size_t i = 0; i < some.size(); ++i)
      std::fill(tile + i * stride + some.size(), tile + (i + 1) * stride, T(0));
  } else {
    copy_tile(some, first, tile, stride);
  }
  std::vector<double> beta(some.size());
  solve_tile(some, tile, std::max(0.5 * tolerance_, rounding_), beta);
  move_by_rows(some, beta, first);
}

// One of the two pieces of a row of K among all variables; null where nobody has asked for it.
template <class T>
const T* Decomposition<T>::row_at_hand(std::size_t k, std::size_t stretch) const {
  if (given_ != nullptr) return (stretch == 0 ? given_->rows_first : given_->rows_second)[k];
  const T* row = tile_of_all_ ? tile_ + k * filled(now_.size()) : demanded_->row(k);
  return stretch == 0 || row == nullptr ? row : row + had_.first;
}

// These variables to these values, and the gradient by rows that are at hand, whose first piece is
// of so many variables.
template <class T>
void Decomposition<T>::move_by_rows(const std::vector<std::uint32_t>& variables,
                                    const std::vector<double>& beta, std::size_t first) {
  const std::size_t n = now_.size();
  const auto at = [&](std::size_t k) { return k < first ? k : filled(first) + k - first; };
  std::vector<double> F(filled(first) + filled(n - first));
  for (std::size_t k = 0; k < n; ++k) F[at(k)] = now_.gradient(k);
  std::array<std::vector<const T*>, 2> rows;
  std::vector<double> by;
  which_.clear();
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::uint32_t k = variables[i];
    const double d = beta[i] - now_.beta[k];
    if (d == 0) continue;
    which_.push_back(k);
    by.push_back(d);
    now_.beta[k] = beta[i];
  }
  if (given_ != nullptr) given_->need(which_);
  for (const std::size_t k : which_) {
    rows[0].push_back(row_at_hand(k, 0));
    if (first < n) rows[1].push_back(row_at_hand(k, 1));
  }
  passes_.add_rows(F.data(), rows[0].data(), by.data(), by.size(), 0, filled(first));
  if (first < n)
    passes_.add_rows(F.data() + filled(first), rows[1].data(), by.data(), by.size(), 0,
                     filled(n - first));
  for (std::size_t k = 0; k < n; ++k) now_.f[now_.place[k]] = F[at(k)] - now_.linear[k];
}

// Of one working set: so many that it ends, and no more than are allowed in all.
template <class T>
std::size_t Decomposition<T>::moves_left(std::size_t variables) const {
  const std::size_t usual = 200 * variables;
  return options_.most_moves == 0 ? usual : std::min(usual, options_.most_moves - result_.moves);
}

// K among the chosen is at hand: what their β become.
template <class T>
typename Inner<T>::End Decomposition<T>::solve_tile(const std::vector<std::uint32_t>& chosen,
                                                    const T* tile, double tolerance,
                                                    std::vector<double>& beta) {
  const std::size_t stride = filled(chosen.size());
  Inner<T> inner(chosen.size(), 0, problem_.keeps_sum, options_.instructions);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::uint32_t k = chosen[i];
    inner.set_with(tile[i * stride + i], i, tile + i * stride, nullptr, now_.beta[k],
                   now_.gradient(k), now_.lower[k], now_.upper[k], now_.group[k]);
    note_value(tile[i * stride + i]);
  }
  double elsewhere = squares_;
  for (const std::uint32_t k : chosen) elsewhere -= now_.beta[k] * now_.beta[k];
  prepare(inner, elsewhere);
  auto end = inner.solve(tolerance, moves_left(chosen.size()));
  result_.moves += end.moves;
  for (const std::uint32_t i : end.for_ever)
    result_.descends_for_ever.push_back(problem_.place[now_.variables[chosen[i]]]);
  for (std::size_t i = 0; i < chosen.size(); ++i) beta[i] = inner.beta(i);
  return end;
}

template <class T>
void Decomposition<T>::step(const std::vector<std::uint32_t>& chosen) {
  std::vector<double> beta(chosen.size());
  const auto end = solve_tile(chosen, tile_of(chosen),
                              std::max(0.5 * tolerance_, share_left() * violation_), beta);
  const std::size_t rows_before = result_.rows;
  move_to(chosen, beta);
  const auto set = static_cast<double>(chosen.size());
  work_ += 2 * static_cast<double>(end.moves) * set;
  // Kernel values count where moves of two were slow: else rounds end soon by themselves.
  if (end.faces > 0)
    work_ += value_work() * (set * set + static_cast<double>(now_.points.size()) *
                                             static_cast<double>(result_.rows - rows_before));
}

// What a working set may leave of the violation. At first it is solved for among variables that are
// mostly not those of the end: where many rows change in a round, less exactly.
template <class T>
double Decomposition<T>::share_left() const {
  constexpr double usual = 0.1;
  constexpr double most = 0.3;
  constexpr std::size_t first_rounds = 20;
  constexpr double many = 1000;
  if (result_.rounds <= 1 || result_.rounds > first_rounds) return usual;
  const double rows = static_cast<double>(result_.rows) / static_cast<double>(result_.rounds - 1);
  return std::clamp(rows / many, usual, most);
}

// How many steps of a move a kernel value costs, about.
template <class T>
double Decomposition<T>::value_work() const {
  constexpr double instructions_of_a_step = 10;
  return std::max(1.0, K_.report().cost / instructions_of_a_step);
}

template <class T>
void Decomposition<T>::prepare(Inner<T>& inner, double squares_elsewhere) const {
  inner.allow_faces(options_.threads, share_lost);
  if constexpr (std::is_same_v<T, float>) {
    const double most = 0.5 * goal() / (float_share * largest_value_);
    inner.limit_squares(most * most - squares_elsewhere);
  } else if (unbounded_) {
    const double most = most_beta(largest_value_);
    inner.limit_squares(most * most - squares_elsewhere);
  }
}

// These variables to these values, and the gradient with them.
template <class T>
void Decomposition<T>::move_to(const std::vector<std::uint32_t>& variables,
                               const std::vector<double>& beta) {
  std::vector<std::uint32_t> places;
  std::vector<double> by;
  std::vector<std::pair<std::uint32_t, double>> changes;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::uint32_t k = variables[i];
    const double d = beta[i] - now_.beta[k];
    if (d == 0) continue;
    changes.emplace_back(now_.place[k], d);
    now_.beta[k] = beta[i];
  }
  std::ranges::stable_sort(changes, {}, &std::pair<std::uint32_t, double>::first);
  for (const auto& [place, d] : changes) {
    if (!places.empty() && places.back() == place) {
      by.back() += d;
    } else {
      places.push_back(place);
      by.push_back(d);
    }
  }
  change(places, by);
}

// K among so many variables, and its factor: as many as a working set has, or as fit beside the
// rows that are kept.
template <class T>
bool Decomposition<T>::room_for_face(std::size_t variables) const {
  if (variables <= usual_set) return true;
  const std::size_t kept = now_.rows->held().size() * filled(now_.points.size()) * sizeof(T);
  return variables * variables * (sizeof(T) + sizeof(double)) + kept <= options_.memory;
}

// All variables between their bounds at once (face.hpp), where rounds have taken longer than that
// would.
template <class T>
void Decomposition<T>::look_at_face() {
  bool whole = false;
  for (bool first = true; !whole && (first || faces_); first = false) {
    std::vector<std::uint32_t> free;
    for (std::size_t k = 0; k < now_.size(); ++k)
      if (now_.grows(k) && now_.shrinks(k)) free.push_back(static_cast<std::uint32_t>(k));
    const auto m = static_cast<double>(free.size());
    constexpr double per_step = 10;  // of m³, in the time of one step of a move
    const double price =
        m * m * m / per_step + value_work() * m * (m + static_cast<double>(now_.points.size()));
    // One that rounding brought to nothing is tried again, later.
    const double due = faces_ ? price : 4 * price;
    const std::size_t fewest = problem_.keeps_sum ? 3 : 2;  // fewer are one move
    if (free.size() < fewest || (first && work_ < due) || !room_for_face(free.size())) return;
    work_ = 0;
    faces_ = descend_on_face(free, whole);
  }
}

// False where it did not make the objective smaller: nothing has changed then.
template <class T>
bool Decomposition<T>::descend_on_face(const std::vector<std::uint32_t>& free, bool& whole) {
  const auto m = static_cast<double>(free.size());
  const T* tile = tile_of(free);
  tile_of_all_ = false;
  const std::size_t stride = filled(free.size());
  Face face;
  for (const std::uint32_t k : free) {
    face.gradient.push_back(now_.gradient(k));
    face.beta.push_back(now_.beta[k]);
    face.lower.push_back(now_.lower[k]);
    face.upper.push_back(now_.upper[k]);
    face.group.push_back(now_.group[k]);
  }
  face.keeps_sum = problem_.keeps_sum;
  face.shift = share_lost * largest_value_ * std::sqrt(m);
  face.matrix = [&](double* M) {
    for (std::size_t i = 0; i < free.size(); ++i)
      std::copy_n(tile + i * stride, i + 1, M + i * free.size());
  };
  const auto end = descend(face, {options_.threads, options_.instructions});
  if (!end.moved) return false;
  whole = end.whole;
  const std::vector<double> old_f = now_.f;
  std::vector<double> old_beta;
  old_beta.reserve(free.size());
  for (const std::uint32_t k : free) old_beta.push_back(now_.beta[k]);
  move_to(free, face.beta);
  double gain = 0;
  for (std::size_t i = 0; i < free.size(); ++i)
    gain -= 0.5 * (face.beta[i] - old_beta[i]) * (face.gradient[i] + now_.gradient(free[i]));
  if (gain > 0) return true;
  now_.f = old_f;
  for (std::size_t i = 0; i < free.size(); ++i) now_.beta[free[i]] = old_beta[i];
  return false;
}

// f += Σ by_j K_j: from rows that are kept, with rows that are kept from now on, and for the rest
// with values that are not.
template <class T>
void Decomposition<T>::change(const std::vector<std::uint32_t>& places,
                              const std::vector<double>& by) {
  std::vector<const T*> rows;
  std::vector<double> rows_by;
  std::vector<std::size_t> fresh;
  std::vector<T*> fresh_to;
  std::vector<std::size_t> rest;
  std::vector<double> rest_by;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t p = places[i];
    if (const T* row = now_.rows->find(p, result_.rounds)) {
      rows.push_back(row);
      rows_by.push_back(by[i]);
    } else if (T* to = now_.rows->add(p, result_.rounds)) {
      fresh.push_back(p);
      fresh_to.push_back(to);
      rows.push_back(to);
      rows_by.push_back(by[i]);
    } else {
      rest.push_back(p);
      rest_by.push_back(by[i]);
    }
  }
  result_.rows += fresh.size() + rest.size();
  if (!fresh.empty()) gram().rows_to(fresh, std::span<T* const>(fresh_to));
  constexpr std::size_t piece = 2048;
  parallel_for((now_.f.size() + piece - 1) / piece, options_.threads, [&](std::size_t task) {
    const std::size_t begin = task * piece;
    passes_.add_rows(now_.f.data(), rows.data(), rows_by.data(), rows.size(), begin,
                     std::min(now_.f.size(), begin + piece));
  });
  if (rest.empty()) return;
  std::vector<double> more(now_.points.size());
  gram().apply(Rows::all(), rest, rest_by, 1, more);
  for (std::size_t p = 0; p < more.size(); ++p) now_.f[p] += more[p];
}

// The same from all of K, where somebody has it.
template <class T>
void Decomposition<T>::change_by_given(const std::vector<std::uint32_t>& places,
                                       const std::vector<double>& by) {
  given_->need({places.begin(), places.end()});
  const auto add = [&](const std::vector<const T*>& all, std::size_t begin, std::size_t count) {
    std::vector<const T*> rows;
    rows.reserve(places.size());
    for (const std::uint32_t p : places) rows.push_back(all[p]);
    std::vector<double> f(filled(count));
    passes_.add_rows(f.data(), rows.data(), by.data(), rows.size(), 0, f.size());
    for (std::size_t i = 0; i < count; ++i) now_.f[begin + i] += f[i];
  };
  add(given_->rows_first, 0, given_->first);
  if (given_->second > 0) add(given_->rows_second, given_->first, given_->second);
}

// Every move makes the objective smaller, until rounding errors do as much as moves do: then it
// does not fall any more, and the violation is no larger than the errors of F = Σ β_j K_ij. Values
// of different levels are of different variables, and are not compared. Where it does not fall
// after more moves than LIBSVM ever makes, whatever the violation is, they go in circles: the
// numbers are too large, or the user's matrix is not symmetric and F no gradient.
template <class T>
bool Decomposition<T>::stalls(const Progress& p) {
  if (unbounded_ && std::is_same_v<T, double> && std::sqrt(squares_) > most_beta(largest_value_))
    return true;
  if (p.active != last_active_ || p.objective < best_objective_) {
    last_active_ = p.active;
    best_objective_ = p.objective;
    since_better_ = 0;
    return false;
  }
  constexpr std::size_t patience = 20;  // rounds
  if (++since_better_ < patience) return false;
  constexpr double share = 1e-12;
  const std::size_t many = std::max<std::size_t>(10'000'000, 100 * beta_.size());
  return p.moves > many || violation_ < share * p.size_of_beta * largest_value_;
}

// Whether F, which is brought up to date by differences, may have gone astray by as much as the
// tolerance. With floats, doubles take over before that.
template <class T>
bool Decomposition<T>::drifts() const {
  if constexpr (std::is_same_v<T, float>) return false;
  constexpr double share = 1e-12;
  double size = 0;
  for (const double b : now_.beta) size += std::abs(b);
  return share * size * largest_value_ > tolerance_;
}

// f = Kβ, computed anew.
template <class T>
void Decomposition<T>::refresh() {
  if (!whole()) look_at_all();
  std::vector<double> sums(K_.rows());
  for (std::size_t k = 0; k < now_.size(); ++k) sums[now_.points[now_.place[k]]] += now_.beta[k];
  std::vector<std::size_t> rows;
  std::vector<double> by;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (sums[r] == 0) continue;
    rows.push_back(r);
    by.push_back(sums[r]);
  }
  std::vector<double> f(now_.points.size());
  K_.apply(now_.points, rows, by, 1, f);
  result_.rows += rows.size();
  std::ranges::copy(f, now_.f.begin());
}

// Of the objective, by rounding: f is off by a share of Σ|β| k, in all directions.
template <class T>
double Decomposition<T>::lost(const Progress& p) const {
  constexpr double share = std::is_same_v<T, float> ? 1e-8 : 1e-16;
  return share * largest_value_ * p.size_of_beta * std::sqrt(squares_);
}

// Asked after as much work as is far more than most problems take, and again after as much: whether
// the objective has become smaller, beyond its rounding, or the violation half of what it was. From
// where LIBSVM gives up on, it has to be noticeably smaller. Three times no are a no.
template <class T>
bool Decomposition<T>::goes_in_circles() {
  constexpr double least = 100'000;
  constexpr double each = 1000;
  const auto n = static_cast<double>(beta_.size());
  const double done = static_cast<double>(result_.moves) + n * static_cast<double>(result_.rounds);
  if (done < looked_at_ + least + each * n) return false;
  if (drifts()) {
    refresh();
  } else if (!whole()) {
    look_at_all();
  }
  look();
  const Progress p = progress();
  const bool first = looked_at_ == 0;
  looked_at_ = done;
  constexpr double noticeable = 1e-6;
  constexpr double libsvms = 1e7;
  const bool late = static_cast<double>(p.moves) > std::max(libsvms, 100 * n);
  const double enough = late ? std::max(lost(p), noticeable * std::abs(p.objective)) : lost(p);
  if (first || p.objective < objective_then_ - enough || violation_ < 0.5 * violation_then_) {
    objective_then_ = p.objective;
    violation_then_ = violation_;
    in_vain_ = 0;
    return false;
  }
  constexpr std::size_t times = 3;
  return ++in_vain_ >= times;
}

template <class T>
Solution Decomposition<T>::run() {
  result_.in_double = std::is_same_v<T, double>;
  bool fresh = false;
  while (true) {
    look();
    // Rounding is no more than half of what is to be reached next, or doubles have to do it.
    const auto is_coarse = [&] {
      return rounding_ > 0.5 * goal() || (std::is_same_v<T, float> && unbounded_ &&
                                          std::sqrt(squares_) > most_beta(largest_value_));
    };
    if (is_coarse() && !whole()) {  // there may be something to do for those left aside
      look_at_all();
      look();
    }
    if (is_coarse()) {
      result_.coarse = true;
      break;
    }
    const double tolerance = tolerance_ - rounding_;
    // Those left aside may have come to violate more than the others do: with a large C they do.
    constexpr double much = 1e-3;
    if (!whole() && (violation_ <= tolerance || violation_ <= much * violation_aside_ ||
                     (!looked_early_ && violation_ <= 10 * tolerance))) {
      looked_early_ = looked_early_ || violation_ <= 10 * tolerance;
      look_at_all();
      look();
    }
    if (violation_ <= tolerance_ - rounding_ && drifts()) {
      refresh();
      look();
      fresh = true;
    }
    result_.violation = violation_ + rounding_;
    result_.converged = violation_ <= tolerance_ - rounding_;
    if (result_.converged) break;
    if (options_.most_moves != 0 && result_.moves >= options_.most_moves) break;
    if (result_.rounds > 0) {
      const Progress p = progress();
      const bool go_on = !options_.observe || options_.observe(p);
      const Continuation& c = options_.continuation;
      if (c.keep && (!go_on || !c.due || c.due())) c.keep(state());
      if (!go_on) {
        result_.interrupted = true;
        break;
      }
      if (!result_.descends_for_ever.empty()) break;
      if (goes_in_circles()) {
        result_.violation = violation_ + rounding_;
        (std::is_same_v<T, float> ? result_.coarse : result_.stalled) = true;
        break;
      }
      if (stalls(p)) {
        if (whole()) {
          result_.stalled = true;
          break;
        }
        // Not all have been asked; from now on they are.
        shrinks_ = false;
        look_at_all();
        continue;
      }
    }
    if (options_.shrinking && shrinks_ && now_.size() > most_at_once_) shrink();
    ++result_.rounds;
    fresh = false;
    if (now_.size() <= most_at_once_) {
      const auto some = those_that_move();
      if (some.empty()) {
        step_with_all();
      } else {
        step_with(some);
      }
    } else {
      step(choose());
      look_at_face();
    }
  }
  if (!result_.coarse && (!whole() || (!fresh && drifts()))) {
    if (!whole()) look_at_all();
    if (drifts()) refresh();
    look();
    result_.violation = violation_ + rounding_;
  }
  write_back();
  result_.beta = beta_;
  result_.F.resize(beta_.size());
  for (std::size_t k = 0; k < now_.size(); ++k) result_.F[now_.variables[k]] = now_.gradient(k);
  result_.objective = progress().objective;
  return std::move(result_);
}

template class Decomposition<float>;
template class Decomposition<double>;

// So coarse, with every β at its bound, that it is not worth while to begin with floats.
static bool surely_coarse(const Gram& K, const std::vector<double>& diagonal,
                          const Quadratic& problem, double tolerance) {
  double squares = 0;
  for (std::size_t v = 0; v < problem.size(); ++v)
    squares += std::pow(std::max(problem.upper[v], -problem.lower[v]), 2);
  std::vector<double> value(1);
  if (diagonal.empty()) {
    K.part(std::vector<std::size_t>{problem.place[0]}, 1).diagonal(value);
  } else {
    value[0] = diagonal[problem.place[0]];
  }
  constexpr double times = 50;  // few are at their bound, mostly
  return float_share * std::abs(value[0]) * std::sqrt(squares) > times * tolerance;
}

Solution solve(const Gram& K, const Quadratic& problem, const SolveOptions& options,
               const Known& known, const Finer& finer) {
  // Only where it is the matrix of just these variables, and they are solved for together.
  bool fits = problem.size() == K.rows() && problem.size() <= few && options.working_set == 0;
  for (std::size_t v = 0; fits && v < problem.size(); ++v) fits = problem.place[v] == v;
  if (K.report().precision == "float32") {
    const State* from = options.continuation.from;
    Solution coarse;
    coarse.coarse = from != nullptr ? from->in_double == 1
                                    : surely_coarse(K, known.diagonal, problem, options.tolerance);
    if (!coarse.coarse)
      coarse = Decomposition<float>(
                   K, problem, options,
                   fits ? std::get_if<TwoStretches<float>>(&known.values) : nullptr, known)
                   .run();
    if (!coarse.coarse) return coarse;
    Quadratic rest = problem;
    if (!coarse.beta.empty()) rest.start = coarse.beta;
    SolveOptions how = options;
    if (from != nullptr && from->in_double == 0) how.continuation.from = nullptr;
    const Fine fine = finer ? finer() : Fine{K.in_double(), {}};
    return Decomposition<double>(
               fine.K, rest, how,
               fits ? std::get_if<TwoStretches<double>>(&fine.known.values) : nullptr, fine.known,
               coarse)
        .run();
  }
  return Decomposition<double>(K, problem, options,
                               fits ? std::get_if<TwoStretches<double>>(&known.values) : nullptr,
                               known)
      .run();
}

Extremes extremes(const Quadratic& problem, const std::vector<double>& beta,
                  const std::vector<double>& F, std::uint8_t group) {
  Extremes e{infinite, -infinite};
  for (std::size_t v = 0; v < beta.size(); ++v) {
    if (!problem.group.empty() && problem.group[v] != group) continue;
    if (beta[v] < problem.upper[v]) e.least = std::min(e.least, F[v]);
    if (beta[v] > problem.lower[v]) e.largest = std::max(e.largest, F[v]);
  }
  return e;
}

}  // namespace mercer::support
