#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mercer/error.hpp>
#include <mercer/tune.hpp>
#include <set>

#include "base/text.hpp"
#include "choose/compose.hpp"
#include "choose/grid.hpp"
#include "choose/imbalance.hpp"
#include "choose/on_ranks.hpp"
#include "choose/space.hpp"
#include "comm/agree.hpp"

namespace mercer {

namespace {

using choose::Axis;
using choose::Grid;
using choose::Score;
using choose::Space;
using choose::Wanted;

// A kernel of a space, by the values of its parameters, and prices to try.
struct Trial {
  std::size_t space;
  std::vector<double> values;
  double price;
  auto operator<=>(const Trial&) const = default;
};

class Tuner {
 public:
  Tuner(const Table& table, const TuneOptions& options, const comm::Comm& comm)
      : table_(table), options_(options), comm_(comm), grid_(table, grid_options(), comm) {
    result_.task = grid_.task();
    result_.metric = metric_.name;
    result_.more_is_better = metric_.more_is_better;
    result_.learner = *options_.train.learner;
    const bool fine = options.search == TuneOptions::Search::grid;
    for (const Kernel& k : options_.kernels)
      spaces_.push_back(choose::space_of(k, table.points, options.grid, options.train.seed, fine));
    prices_ = choose::price_axis(result_.learner, options.grid,
                                 1 / learn::mean_weight(table.weights), fine);
    check_grid_names();
    for (const Candidate& c : options.known) known_.emplace(key(c.kernel, c.price, c.rows), c);
  }

  Tuned run() {
    const std::size_t fit = std::min(table_.rows(), grid_.most_rows());
    const std::size_t rows = options_.rows == 0 ? fit : std::min(fit, options_.rows);
    if (fit < table_.rows() && rows == fit)
      result_.notes.push_back(fmt::format(
          "the kernel values of {} rows do not fit into {} MiB: candidates are compared on {} of "
          "them (--memory)",
          table_.rows(), options_.memory >> 20U, rows));
    if (options_.search == TuneOptions::Search::grid) {
      score(everything(), rows);
    } else {
      halve(rows);
    }
    if (options_.compose && !out_of_budget()) compose(rows);
    result_.kernel_values = grid_.kernel_values();
    if (result_.candidates.empty())
      throw Error("the search was ended before any candidate had a score");
    choose_best();
    if (auto note = choose::imbalance(table_.labels, result_.task);
        !note.empty() && metric_.name == "accuracy")
      result_.notes.push_back(std::move(note));
    return std::move(result_);
  }

 private:
  choose::GridOptions grid_options() {
    TrainOptions& t = options_.train;
    std::vector<std::string> chosen;
    TrainOptions for_task = t;
    for_task.learner.reset();
    const Model::Task task = learn::targets_of(table_, for_task, chosen).task;
    t.task = task;
    const bool classes = task == Model::Task::classification;
    if (!t.learner) t.learner = classes ? Learner::svm : Learner::ridge;
    if (*t.learner != Learner::svm && *t.learner != Learner::ridge)
      throw Error("only support vectors (svm) and ridge can be tuned; others have `mercer cv`");
    if (t.svm.problem != SvmOptions::Problem::classification &&
        t.svm.problem != SvmOptions::Problem::regression)
      throw Error("C is tuned for classification and epsilon-regression only");
    if (options_.folds < 2) throw Error("cross-validation needs 2 folds at least");
    if (options_.folds > table_.rows())
      throw Error(fmt::format("{} folds of {} rows: take at most as many folds as rows",
                              options_.folds, table_.rows()));
    if (options_.kernels.empty()) options_.kernels.push_back(rbf(Parameter::open()));
    // Ridge has no offset of its own: see train.hpp.
    offset_in_kernel_ = *t.learner == Learner::ridge && t.offset.value_or(!classes);
    metric_ = metric_named(
        options_.metric.empty() ? (classes ? "accuracy" : "rmse") : options_.metric, task);
    if (metric_.name == "log_loss" && *t.learner != Learner::svm)
      throw Error(
          "log_loss is about probabilities, which ridge has none of: use svm, or another "
          "metric");
    choose::GridOptions o;
    o.train = t;
    o.metric = metric_;
    o.folds = options_.folds;
    o.groups = options_.groups;
    o.memory = options_.memory;
    o.give_up = options_.search == TuneOptions::Search::halving;
    o.go_on = [this] { return !out_of_budget(); };
    return o;
  }

  void check_grid_names() const {
    std::set<std::string> names{prices_.name};
    for (const Space& s : spaces_)
      for (const Axis& a : s.axes) names.insert(a.name);
    for (const auto& [name, values] : options_.grid) {
      if (values.empty()) throw Error("no values to try for " + name);
      if (!names.contains(name))
        throw Error("no kernel has an open parameter " + name + ": write it as rbf(" + name +
                    "=?)");
    }
  }

  static std::string key(const Kernel& k, double price, std::size_t rows) {
    return fmt::format("{} {:.17g} {}", k.text(), price, rows);
  }

  // Of several ranks the first decides.
  bool out_of_budget() {
    if (comm_.ranks() == 1) return budget_is_used();
    const std::string verdict =
        comm::told(comm_, [&] { return std::string(budget_is_used() ? "end" : "go on"); });
    if (verdict != "end") return false;
    result_.interrupted = true;
    return stopped_ = true;
  }

  bool budget_is_used() {
    if (stopped_) return true;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    if ((options_.seconds > 0 && passed.count() > options_.seconds && scored_ > 0) ||
        (options_.candidates > 0 && scored_ >= options_.candidates)) {
      stopped_ = true;
      result_.interrupted = true;
      result_.story.push_back(fmt::format("the budget was used up after {} scores", scored_));
    }
    return stopped_;
  }

  [[nodiscard]] std::vector<Trial> everything() const {
    std::vector<Trial> all;
    for (std::size_t s = 0; s < spaces_.size(); ++s)
      for (const auto& values : choose::product(spaces_[s].axes))
        for (const double price : prices_.values) all.push_back({s, values, price});
    return all;
  }

  // As it was given, and as it is learned with.
  [[nodiscard]] Kernel plain_kernel_of(const Trial& t) const {
    return t.values.empty() ? spaces_[t.space].open
                            : spaces_[t.space].open.with_parameters(t.values);
  }
  [[nodiscard]] Kernel kernel_of(const Trial& t) const {
    return offset_in_kernel_ ? plain_kernel_of(t) + Kernel(1.0) : plain_kernel_of(t);
  }

  // The scores of these on so many rows: places in result_.candidates.
  std::vector<std::size_t> score(std::vector<Trial> trials, std::size_t rows) {
    std::ranges::sort(trials);
    trials.erase(std::unique(trials.begin(), trials.end()), trials.end());
    std::vector<std::size_t> places;
    std::vector<Wanted> wanted;
    std::vector<std::vector<Trial>> of_wanted;
    for (const Trial& t : trials) {
      const Kernel k = kernel_of(t);
      const std::string name = key(k, t.price, rows);
      if (const auto here = place_of_.find(name); here != place_of_.end()) {
        places.push_back(here->second);
        continue;
      }
      const auto found = known_.find(name);
      if (found != known_.end()) {
        Candidate c = found->second;
        c.parameters = parameters_of(t);
        c.kernel = k;
        places.push_back(result_.candidates.size());
        add(t, rows, std::move(c));
        continue;
      }
      if (wanted.empty() || of_wanted.back().back().space != t.space ||
          of_wanted.back().back().values != t.values) {
        wanted.push_back({k, {}});
        of_wanted.emplace_back();
      }
      wanted.back().prices.push_back(t.price);
      of_wanted.back().push_back(t);
    }
    grid_.scores(wanted, rows, [&](std::size_t w, std::size_t p, const Score& s) {
      const Trial& t = of_wanted[w][p];
      Candidate c;
      c.kernel = wanted[w].kernel;
      c.parameters = parameters_of(t);
      c.price = t.price;
      c.rows = std::min(rows, table_.rows());
      c.score = metric_.more_is_better ? s.mean : -s.mean;
      c.deviation = s.deviation;
      for (const double v : s.by_fold) c.by_fold.push_back(metric_.more_is_better ? v : -v);
      c.support = s.support;
      c.converged = s.converged;
      places.push_back(result_.candidates.size());
      add(t, rows, std::move(c));
      ++scored_;
      if (p + 1 == of_wanted[w].size() && options_.observe && comm_.rank() == 0 &&
          !options_.observe(result_.candidates)) {
        stopped_ = true;
        result_.interrupted = true;
      }
    });
    return places;
  }

  void add(const Trial& t, std::size_t rows, Candidate c) {
    place_of_.emplace(key(c.kernel, t.price, rows), result_.candidates.size());
    result_.candidates.push_back(std::move(c));
    trials_.push_back(t);
  }

  [[nodiscard]] std::vector<std::pair<std::string, double>> parameters_of(const Trial& t) const {
    std::vector<std::pair<std::string, double>> result;
    for (std::size_t a = 0; a < t.values.size(); ++a)
      result.emplace_back(spaces_[t.space].axes[a].name, t.values[a]);
    return result;
  }

  // Larger is better.
  [[nodiscard]] double merit(std::size_t place) const {
    const double s = result_.candidates[place].score;
    return metric_.more_is_better ? s : -s;
  }

  // The best first; of equal ones the simpler rule: fewer support vectors, of ridge the larger λ.
  void rank(std::vector<std::size_t>& places) const {
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
      if (merit(a) != merit(b)) return merit(a) > merit(b);
      const Candidate& ca = result_.candidates[a];
      const Candidate& cb = result_.candidates[b];
      if (result_.learner == Learner::ridge) return ca.price > cb.price;
      return ca.support != cb.support ? ca.support < cb.support : ca.price < cb.price;
    });
  }

  // Samples, each three times as large as the one before.
  [[nodiscard]] std::vector<std::size_t> sizes(std::size_t rows) const {
    const std::size_t classes = std::max<std::size_t>(1, grid_.classes().size());
    const auto least = std::max<std::size_t>({600, 30 * classes, options_.folds});
    std::vector<std::size_t> result{rows};
    while (result.back() / 3 >= least) result.push_back(result.back() / 3);
    std::ranges::reverse(result);
    return result;
  }

  void halve(std::size_t rows) {
    std::vector<Trial> trials = everything();
    const auto all_sizes = sizes(rows);
    for (std::size_t r = 0; r < all_sizes.size() && !out_of_budget(); ++r) {
      std::vector<std::size_t> places = score(trials, all_sizes[r]);
      const std::size_t tried = places.size();  // fewer than there are, where the budget ends
      if (places.empty()) return;
      rank(places);
      // Finer steps around the best, until there is none that is better.
      for (int round = 0; round < 3 && !out_of_budget(); ++round) {
        const std::size_t best = places.front();
        auto finer = around(trials_[best], all_sizes[r]);
        if (finer.empty()) break;
        const auto more = score(finer, all_sizes[r]);
        places.insert(places.end(), more.begin(), more.end());
        rank(places);
        if (places.front() == best) break;
      }
      const Candidate& best = result_.candidates[places.front()];
      result_.story.push_back(fmt::format(
          "{} on {} rows: {} with {} = {:g} is best, {} {:.4g}", counted(tried, "candidate"),
          best.rows, best.kernel.text(), prices_.name, best.price, metric_.name, best.score));
      if (r + 1 == all_sizes.size()) return;
      trials = survivors(places, all_sizes.size() - 1 - r);
    }
  }

  // The better third, and whoever is within a standard error of the best, but not more than a few
  // where the next sample is the last.
  [[nodiscard]] std::vector<Trial> survivors(const std::vector<std::size_t>& ranked,
                                             std::size_t left) const {
    const Candidate& best = result_.candidates[ranked.front()];
    const double error =
        best.deviation / std::sqrt(std::max<double>(1, static_cast<double>(best.by_fold.size())));
    const std::size_t third = (ranked.size() + 2) / 3;
    const std::size_t most = left == 1 ? 10 : 40;
    const auto least =
        std::min<std::size_t>({third, most, left == 1 ? std::size_t{6} : std::size_t{12}});
    std::vector<Trial> kept;
    for (std::size_t k = 0; k < ranked.size() && kept.size() < most; ++k) {
      const bool near = merit(ranked[k]) >= merit(ranked.front()) - error;
      if (k >= least && !near) break;
      kept.push_back(trials_[ranked[k]]);
    }
    return kept;
  }

  // Half way to the neighbours of a trial, one coordinate at a time; beyond the end of an axis
  // another step.
  [[nodiscard]] std::vector<Trial> around(const Trial& t, std::size_t rows) const {
    std::vector<Trial> result;
    const auto tried = [&](const Trial& other) {
      for (std::size_t k = 0; k < trials_.size(); ++k)
        if (trials_[k] == other && result_.candidates[k].rows == std::min(rows, table_.rows()))
          return true;
      return false;
    };
    const auto along = [&](const Axis& axis, const auto& value_of, const auto& with) {
      std::set<double> there(axis.values.begin(), axis.values.end());
      for (const Trial& other : trials_)
        if (other.space == t.space) there.insert(value_of(other));
      const std::vector<double> sorted(there.begin(), there.end());
      for (const double v : choose::between(axis, sorted, value_of(t)))
        if (!tried(with(v))) result.push_back(with(v));
      if (axis.fixed || axis.whole || sorted.size() < 2) return;
      constexpr double further = 4;
      if (value_of(t) == sorted.back() && !tried(with(value_of(t) * further)) && value_of(t) > 0 &&
          value_of(t) < 1e6)
        result.push_back(with(value_of(t) * further));
      if (value_of(t) == sorted.front() && value_of(t) > 1e-7 &&
          !tried(with(value_of(t) / further)))
        result.push_back(with(value_of(t) / further));
    };
    along(
        prices_, [](const Trial& x) { return x.price; },
        [&](double v) {
          Trial x = t;
          x.price = v;
          return x;
        });
    for (std::size_t a = 0; a < t.values.size(); ++a)
      along(
          spaces_[t.space].axes[a], [a](const Trial& x) { return x.values[a]; },
          [&, a](double v) {
            Trial x = t;
            x.values[a] = v;
            return x;
          });
    return result;
  }

  // On the largest sample.
  [[nodiscard]] std::size_t best_place() const {
    std::size_t rows = 0;
    for (const Candidate& c : result_.candidates) rows = std::max(rows, c.rows);
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < result_.candidates.size(); ++k)
      if (result_.candidates[k].rows == rows) places.push_back(k);
    rank(places);
    return places.front();
  }

  void choose_best() {
    result_.chosen = winner_.value_or(best_place());
    result_.rows = result_.best().rows;
    if (!std::isfinite(result_.best().score))
      throw Error("no candidate could be solved: are these kernels?");
  }

  // What is made of the best so far and the best of each other kernel, as long as it is better
  // beyond chance; in the end also on fewer columns, or with one of them apart.
  void compose(std::size_t rows) {
    const auto parts = best_of_spaces();
    winner_ = best_place();  // what is better by chance alone does not win
    constexpr int most_steps = 3;
    for (int step = 0; step < most_steps && !out_of_budget(); ++step) {
      const auto made = choose::sums_and_products(plain_kernel_of(trials_[*winner_]), parts);
      if (!improve(made, rows, made.size(), "sums and products with it")) break;
    }
    if (!out_of_budget()) compose_columns(parts, rows);
  }

  // There are many: a small sample says which of them may be worth it.
  void compose_columns(const std::vector<Kernel>& parts, std::size_t rows) {
    const Kernel best = plain_kernel_of(trials_[*winner_]);
    const auto sources = choose::sources_of(table_);
    constexpr std::size_t most_columns = 40;
    if (sources.size() < 2 || sources.size() > most_columns || choose::names_columns(best)) return;
    const std::size_t small = sizes(rows).front();
    const auto usual = merits_of({best}, small);
    const auto left_out = merits_of(choose::without_each(best, sources), small);
    const auto with_apart = choose::with_column_apart(best, parts, sources);
    const auto apart = merits_of(with_apart, small);
    if (out_of_budget()) return;
    std::vector<Kernel> chosen;
    std::vector<std::size_t> not_missed;
    for (std::size_t c = 0; c < sources.size(); ++c)
      if (left_out[c] > usual[0]) not_missed.push_back(c);
    if (!not_missed.empty() && not_missed.size() < sources.size())
      chosen.push_back(choose::without(best, sources, not_missed));
    if (not_missed.size() > 1)
      chosen.push_back(choose::without(
          best, sources,
          {static_cast<std::size_t>(std::ranges::max_element(left_out) - left_out.begin())}));
    if (const auto most = std::ranges::max_element(apart); *most > usual[0])
      chosen.push_back(with_apart[static_cast<std::size_t>(most - apart.begin())]);
    improve(chosen, rows, left_out.size() + apart.size(), "kernels on some of the columns");
  }

  // With the winner's price, on so many rows; less than any other where there was no time.
  std::vector<double> merits_of(const std::vector<Kernel>& kernels, std::size_t rows) {
    std::vector<Trial> trials;
    for (const Kernel& k : kernels) {
      trials.push_back({spaces_.size(), {}, trials_[*winner_].price});
      spaces_.push_back({k, {}});
    }
    std::vector<double> merits(kernels.size(), -std::numeric_limits<double>::infinity());
    if (out_of_budget()) return merits;
    score(trials, rows);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const auto at = place_of_.find(key(kernel_of(trials[k]), trials[k].price, rows));
      if (at != place_of_.end()) merits[k] = merit(at->second);
    }
    return merits;
  }

  // Whether one of these, the best of so many, is better beyond chance than the winner so far; it
  // is the winner then.
  bool improve(const std::vector<Kernel>& kernels, std::size_t rows, std::size_t of,
               const std::string& what) {
    const Candidate before = result_.candidates[*winner_];
    std::set<std::string> seen{plain_kernel_of(trials_[*winner_]).text()};
    std::vector<Trial> trials;
    for (const Kernel& k : kernels) {
      if (!seen.insert(k.text()).second) continue;
      for (const double price : {before.price / 4, before.price, before.price * 4})
        trials.push_back({spaces_.size(), {}, price});
      spaces_.push_back({k, {}});
    }
    if (trials.empty() && of > 0)
      result_.story.push_back(fmt::format("{} {}: none is better", of, what));
    auto places = score(trials, rows);
    if (places.empty()) return false;
    rank(places);
    const Candidate& after = result_.candidates[places.front()];
    if (!beats(after, before, of)) {
      result_.story.push_back(fmt::format("{} {}: none is better beyond chance", of, what));
      return false;
    }
    winner_ = places.front();
    result_.story.push_back(fmt::format("{} is better: {} {:.4g} instead of {:.4g}",
                                        after.kernel.text(), metric_.name, after.score,
                                        before.score));
    return true;
  }

  // The best kernel of each space: on the largest sample that it got to.
  [[nodiscard]] std::vector<Kernel> best_of_spaces() const {
    std::map<std::size_t, std::size_t> best_of;  // space -> place
    for (std::size_t k = 0; k < result_.candidates.size(); ++k) {
      const auto [at, first] = best_of.emplace(trials_[k].space, k);
      if (first) continue;
      const auto& other = result_.candidates[at->second];
      const auto& c = result_.candidates[k];
      if (c.rows != other.rows ? c.rows > other.rows : merit(k) > merit(at->second)) at->second = k;
    }
    std::vector<Kernel> parts;
    parts.reserve(best_of.size());
    for (const auto& [space, place] : best_of) parts.push_back(plain_kernel_of(trials_[place]));
    return parts;
  }

  // By more than chance: the mean of the differences, fold by fold, is larger than what the largest
  // of so many means of noise with their standard error would be.
  [[nodiscard]] bool beats(const Candidate& a, const Candidate& b, std::size_t tried) const {
    const std::size_t n = std::min(a.by_fold.size(), b.by_fold.size());
    if (n < 2 || a.rows != b.rows)
      return metric_.more_is_better ? a.score > b.score : a.score < b.score;
    double mean = 0;
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i) {
      d.push_back((a.by_fold[i] - b.by_fold[i]) * (metric_.more_is_better ? 1 : -1));
      mean += d.back() / static_cast<double>(n);
    }
    double squares = 0;
    for (const double v : d) squares += (v - mean) * (v - mean);
    const double error = std::sqrt(squares / static_cast<double>(n * (n - 1)));
    const double by_chance = std::max(
        1.0, std::sqrt(2 * std::log(static_cast<double>(std::max<std::size_t>(1, tried)))));
    return mean > 0 && mean > by_chance * error;
  }

  const Table& table_;
  TuneOptions options_;
  const comm::Comm& comm_;
  Metric metric_;
  bool offset_in_kernel_ = false;
  Grid grid_;
  std::vector<Space> spaces_;
  Axis prices_;
  std::map<std::string, Candidate> known_;
  std::map<std::string, std::size_t> place_of_;  // in result_.candidates, by key()
  std::vector<Trial> trials_;                    // of result_.candidates
  std::optional<std::size_t> winner_;            // where it is not simply the best score
  std::size_t scored_ = 0;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Tuned result_;
};

}  // namespace

Tuned tune(const Table& table, const TuneOptions& options) {
  return choose::tune(table, options, comm::alone());
}

Tuned choose::tune(const Table& table, const TuneOptions& options, const comm::Comm& comm) {
  return Tuner(table, options, comm).run();
}

TrainOptions chosen_options(const Tuned& tuned, const TuneOptions& options) {
  TrainOptions t = options.train;
  t.task = tuned.task;
  t.learner = tuned.learner;
  t.kernel = tuned.best().kernel;
  if (tuned.learner == Learner::ridge) {
    t.lambda = tuned.best().price;
    t.offset = false;  // it is in the kernel already
  } else {
    t.C = tuned.best().price;
    t.svm.C = tuned.best().price;
    t.probability = t.probability || tuned.metric == "log_loss";
  }
  return t;
}

}  // namespace mercer
