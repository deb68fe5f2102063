#include "learn/train_svm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mercer/calibration.hpp>
#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/machine.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "learn/svm_records.hpp"
#include "svm/machine.hpp"

namespace mercer::learn {

namespace {

using Json = nlohmann::ordered_json;
using Problem = SvmOptions::Problem;

const char* name_of(Problem p) {
  switch (p) {
    case Problem::classification:
      return "C-classification";
    case Problem::hard_margin:
      return "hard margin";
    case Problem::nu_classification:
      return "nu-classification";
    case Problem::regression:
      return "epsilon-regression";
    case Problem::nu_regression:
      return "nu-regression";
    case Problem::one_class:
      return "one class";
  }
  return "";
}

// A machine of its own: some rows, with labels.
struct Part {
  std::vector<std::size_t> rows;
  std::vector<double> y;
  Svm machine;
  std::size_t first = 0;  // of a pair: the classes
  std::size_t second = 0;
};

class SvmTrainer {
 public:
  SvmTrainer(const Table& table, const Targets& targets, const TrainOptions& options, double C,
             const Points& phi, const Course& course, Trained& trained, Json& summary)
      : table_(table),
        targets_(targets),
        options_(options),
        how_(options.svm),
        trained_(trained),
        summary_(summary),
        phi_(phi),
        course_(course) {
    choose_problem();
    how_.C = C;
    how_.threads = options.gram.threads;
    how_.instructions = options.gram.instructions;
    if (options.offset) how_.offset = *options.offset;
  }

  void run() {
    GramOptions gram = options_.gram;
    gram.storage = GramOptions::Storage::recomputed;
    // Beyond what floats can tell apart.
    constexpr double fine = 1e-4;
    if (how_.tolerance < fine || how_.problem == Problem::hard_margin)
      gram.precision = GramOptions::Precision::float64;
    const bool in_features = trained_.model.map.has_value();
    const Kernel k = in_features ? linear() : *trained_.model.kernel;
    const Points points = centred(k, in_features ? phi_ : table_.points);
    const Gram K(k, points, gram);
    check_weights();
    make_parts();
    if (parts_.size() == 1) {
      solve_one(K);
    } else {
      solve_all(K);
    }
    if (in_features) {
      keep_w();
    } else {
      keep_alpha();
    }
    for (const Part& part : parts_) note_end(part.machine);
    if (options_.probability && !unfinished_) calibrate(K);
    if (targets_.task == Model::Task::classification && !options_.probability) keep_what_is_said();
    trained_.unfinished = unfinished_;
    if (unfinished_ && course_.checkpoint != nullptr) course_.checkpoint->write();
    report();
  }

 private:
  void choose_problem() {
    if (how_.problem == Problem::one_class) return;
    const bool regression = targets_.task == Model::Task::regression;
    if (regression && how_.problem == Problem::classification) how_.problem = Problem::regression;
    if (regression && how_.problem == Problem::nu_classification)
      how_.problem = Problem::nu_regression;
    if (regression && how_.problem == Problem::hard_margin)
      throw Error("a hard margin is for classes, not for regression");
    pairs_ = targets_.classes.size() > 2 && options_.multiclass == TrainOptions::Multiclass::pairs;
  }

  // A class that counts for nothing has no machine.
  void check_weights() const {
    if (targets_.task != Model::Task::classification || targets_.weights.empty() ||
        how_.problem == Problem::one_class)
      return;
    const Classes classes = classes_of(table_.labels);
    std::vector<double> sums(classes.names.size());
    for (std::size_t i = 0; i < targets_.weights.size(); ++i)
      sums[static_cast<std::size_t>(classes.codes[i])] += targets_.weights[i];
    for (std::size_t c = 0; c < sums.size(); ++c)
      if (sums[c] == 0)
        throw Error(fmt::format(
            "all examples of class {} have the weight 0: leave them out, or give them a weight",
            classes.names[c]));
  }

  // With an offset the origin is of no importance, but x·z is large where it is far, and what
  // separates points is lost in its rounding: then from their middle.
  Points centred(const Kernel& k, const Points& x) {
    const std::size_t n = x.rows();
    const std::size_t d = x.columns();
    if (!how_.offset || how_.problem == Problem::one_class || k != linear() || x.is_sparse())
      return x;
    std::vector<double> middle(d);
    std::vector<double> values(n * d);
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = std::span(values).subspan(i * d, d);
      x.row(i, row);
      for (std::size_t j = 0; j < d; ++j) middle[j] += row[j] / static_cast<double>(n);
    }
    double widest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double squared = 0;
      for (std::size_t j = 0; j < d; ++j) {
        values[i * d + j] -= middle[j];
        squared += values[i * d + j] * values[i * d + j];
      }
      widest = std::max(widest, squared);
    }
    double away = 0;
    for (const double v : middle) away += v * v;
    constexpr double far = 1e3;
    if (!(widest > 0 && away > far * far * widest) || !std::isfinite(away)) return x;
    middle_ = std::move(middle);
    return Points::own(std::move(values), n, d);
  }

  // Of the rule as the model has it, with the origin where it was: Σ β_i (x_i - c)·(x - c) + b,
  // where Σ β_i is 0, but for rounding.
  [[nodiscard]] double offset_of(const Part& part) const {
    const Svm& s = part.machine;
    if (middle_.empty()) return s.offset;
    const Points& x = trained_.model.map ? phi_ : table_.points;
    std::vector<double> point(middle_.size());
    double moved = 0;
    for (std::size_t k = 0; k < part.rows.size(); ++k) {
      if (s.coefficients[k] == 0) continue;
      x.row(part.rows[k], std::span(point));
      for (std::size_t j = 0; j < point.size(); ++j)
        moved += s.coefficients[k] * point[j] * middle_[j];
    }
    return s.offset - moved;
  }

  void make_parts() {
    const std::size_t n = table_.rows();
    if (!pairs_) {
      const auto all = Rows::all().of(n);
      for (std::size_t c = 0; c < targets_.y.columns; ++c) {
        Part part{all, std::vector<double>(n), {}, c, c};
        for (std::size_t i = 0; i < n; ++i) part.y[i] = targets_.y(i, c);
        parts_.push_back(std::move(part));
      }
      return;
    }
    of_class_.resize(targets_.classes.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = targets_.y.row(i);
      of_class_[static_cast<std::size_t>(std::ranges::find(row, 1.0) - row.begin())].push_back(i);
    }
    for (std::size_t a = 0; a < of_class_.size(); ++a)
      for (std::size_t b = a + 1; b < of_class_.size(); ++b) {
        Part part{of_class_[a], {}, {}, a, b};
        part.rows.insert(part.rows.end(), of_class_[b].begin(), of_class_[b].end());
        part.y.assign(of_class_[a].size(), 1.0);
        part.y.resize(part.rows.size(), -1.0);
        parts_.push_back(std::move(part));
      }
  }

  static std::string key_of(std::size_t part) { return fmt::format("machine {}", part + 1); }

  [[nodiscard]] SvmOptions options_for(const Part& part) const {
    SvmOptions o = how_;
    if (!targets_.weights.empty())
      for (const std::size_t i : part.rows) o.weights.push_back(targets_.weights[i]);
    return o;
  }

  // Whether there is more to be done for it.
  void note_end(const Svm& machine) {
    if (machine.end == Svm::End::interrupted || machine.end == Svm::End::seconds)
      unfinished_ = true;
  }

  // From the checkpoint, if it was done.
  [[nodiscard]] std::optional<Svm> done_before(const std::string& key, std::size_t points) const {
    if (course_.checkpoint == nullptr) return std::nullopt;
    const auto record = course_.checkpoint->find(key);
    return record ? machine_in(*record, points) : std::nullopt;
  }

  // From where it was left; `key` is its name in the checkpoint. From any thread.
  [[nodiscard]] Svm solved(const std::string& key, const Gram& K, std::span<const double> y,
                           SvmOptions o, const support::Known& known = {},
                           const support::Finer& finer = {}) const {
    using Clock = std::chrono::steady_clock;
    o.seconds = course_.left();
    Checkpoint* checkpoint = course_.checkpoint;
    if (checkpoint == nullptr) return support::machine(K, y, o, known, {}, finer);
    support::Continuation continuation;
    std::optional<support::State> from;
    if (const auto record = checkpoint->find(key)) {
      if (auto done = machine_in(*record, K.rows())) return *std::move(done);
      from = state_in(*record);
      continuation.from = &*from;
    }
    Clock::time_point last = Clock::now();
    continuation.due = [&] { return Clock::now() - last >= checkpoint->every(); };
    continuation.keep = [&](const support::State& state) {
      checkpoint->put(key, record_of(state));
      last = Clock::now();
    };
    Svm machine = support::machine(K, y, o, known, continuation, finer);
    if (machine.end != Svm::End::interrupted && machine.end != Svm::End::seconds)
      checkpoint->put(key, record_of(machine));
    return machine;
  }

  void solve_one(const Gram& K) {
    Part& part = parts_[0];
    SvmOptions o = options_for(part);
    o.observe = [&](const SvmProgress& p) {
      return !options_.observe || options_.observe({"round",
                                                    p.rounds,
                                                    {{"violation", p.violation},
                                                     {"moves", static_cast<double>(p.moves)},
                                                     {"active", static_cast<double>(p.active)}}});
    };
    part.machine = solved(key_of(0), K, part.y, o);
  }

  void solve_all(const Gram& K) {
    if (K.report().precision == "float32") {
      solve_all<float>(K);
    } else {
      solve_all<double>(K);
    }
  }

  // K in doubles, made once for all machines when the first of them asks for it.
  class FineForAll {
   public:
    FineForAll(const Gram& K, const std::vector<std::vector<std::size_t>>& of_class,
               support::MemoryPool& pool)
        : K_(K), of_class_(of_class), pool_(pool) {}

    // Of one part; with the values that pairs share, where they do.
    support::Fine of(const Part& part, unsigned threads, bool share) {
      std::call_once(made_, [&] {
        fine_.emplace(K_.in_double());
        blocks_.emplace(*fine_, of_class_, pool_);
      });
      support::Fine fine{fine_->part(part.rows, threads), {}};
      fine.known.slabs = &slabs_;
      fine.known.pool = &pool_;
      if (share) fine.known.values = blocks_->pair(part.first, part.second);
      return fine;
    }

   private:
    const Gram& K_;
    const std::vector<std::vector<std::size_t>>& of_class_;
    support::MemoryPool& pool_;
    std::once_flag made_;
    std::optional<Gram> fine_;
    std::optional<support::ClassBlocks<double>> blocks_;
    support::Slabs slabs_;
  };

  static bool is_small(const Part& part) { return part.rows.size() <= support::few; }

  // Several at once, the largest first; each asks between its rounds whether to go on. Small pairs
  // share the kernel values within a class.
  template <class T>
  void solve_all(const Gram& K) {
    support::MemoryPool pool;
    support::ClassBlocks<T> blocks(K, of_class_, pool);
    const std::size_t together = support::rows_together(K);
    support::Slabs slabs;
    const std::vector<double> diagonal = std::ranges::any_of(parts_, is_small)
                                             ? support::diagonal_of(K, how_.threads)
                                             : std::vector<double>();
    // Where rows of K as they are needed turned out to be many, all of it comes at once in the next
    // pairs.
    std::atomic<std::size_t> with_many = 0;
    std::atomic<std::size_t> with_few = 0;
    const bool share = pairs_ && how_.working_set == 0 &&
                       support::ClassBlocks<T>::bytes(of_class_) <= how_.memory / 2;
    FineForAll fine(K, of_class_, pool);
    const bool share_fine =
        share && support::ClassBlocks<double>::bytes(of_class_) <= how_.memory / 4;
    std::vector<std::size_t> order = Rows::all().of(parts_.size());
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return parts_[a].rows.size() > parts_[b].rows.size();
    });
    // The share of the memory must not depend on the threads: what is kept decides about rounding.
    constexpr unsigned most_at_once = 16;
    const unsigned threads =
        std::min(most_at_once, how_.threads == 0 ? hardware_threads() : how_.threads);
    std::mutex mutex;
    std::atomic<bool> stop = false;
    std::size_t done = 0;
    parallel_for(order.size(), threads, [&](std::size_t k) {
      Part& part = parts_[order[k]];
      SvmOptions o = options_for(part);
      o.memory /= std::min<std::size_t>(most_at_once, parts_.size());
      o.observe = [&](const SvmProgress&) { return !stop; };
      if (stop) o.observe = [](const SvmProgress&) { return false; };
      // Many machines keep the threads busy by themselves.
      if (parts_.size() >= 4 * std::size_t{threads}) o.threads = 1;
      if (auto done_already = done_before(key_of(order[k]), part.rows.size())) {
        part.machine = *std::move(done_already);
      } else {
        const Gram among = K.part(part.rows, o.threads);
        support::Known known;
        known.slabs = &slabs;
        known.pool = &pool;
        const bool small = is_small(part);
        if (small) {
          known.diagonal.resize(part.rows.size());
          std::ranges::transform(part.rows, known.diagonal.begin(),
                                 [&](std::size_t i) { return diagonal[i]; });
        }
        support::Values later;
        if (share && small) {
          if (together == 0 || with_many > 2 + 2 * with_few) {
            known.values = blocks.pair(part.first, part.second);
          } else if (together == support::rows_of_cheap_values) {
            known.values = blocks.pair_on_demand(part.first, part.second);
          } else {
            known.first = of_class_[part.first].size();
            known.all = [&]() -> const support::Values& {
              later = blocks.pair(part.first, part.second);
              return later;
            };
          }
        }
        try {
          part.machine = solved(key_of(order[k]), among, part.y, o, known,
                                [&] { return fine.of(part, o.threads, share_fine && small); });
        } catch (const support::NotAKernel& none) {
          throw none.among(part.rows);
        }
        if (known.all) ++(later.index() == 0 ? with_few : with_many);
        const auto* rows = std::get_if<support::TwoStretches<T>>(&known.values);
        if (rows != nullptr && rows->make) ++(rows->is_whole() ? with_many : with_few);
      }
      const std::scoped_lock lock(mutex);
      ++done;
      const bool go_on =
          !options_.observe ||
          options_.observe({pairs_ ? "pair" : "class",
                            done,
                            {{"violation", part.machine.violation},
                             {"moves", static_cast<double>(part.machine.moves)},
                             {"support", static_cast<double>(part.machine.support)}}});
      if (!go_on) stop = true;
    });
  }

  void keep_w() {
    Model& m = trained_.model;
    const std::size_t features = phi_.columns();
    m.coefficients = Matrix::zeros(features, parts_.size());
    std::vector<double> point(features);
    for (std::size_t c = 0; c < parts_.size(); ++c)
      for (std::size_t k = 0; k < parts_[c].rows.size(); ++k) {
        const double beta = parts_[c].machine.coefficients[k];
        if (beta == 0) continue;
        phi_.row(parts_[c].rows[k], std::span(point));
        for (std::size_t j = 0; j < features; ++j) m.coefficients(j, c) += beta * point[j];
      }
    keep_offsets();
  }

  void keep_alpha() {
    Model& m = trained_.model;
    const std::size_t n = table_.rows();
    if (!pairs_) {
      m.support = table_.points;
      m.coefficients = Matrix::zeros(n, parts_.size());
      for (std::size_t c = 0; c < parts_.size(); ++c)
        for (std::size_t i = 0; i < n; ++i)
          m.coefficients(i, c) = parts_[c].machine.coefficients[i];
    } else {
      keep_alpha_of_pairs();
    }
    keep_offsets();
  }

  // Support points in the order of their classes, each with its α against every other class.
  void keep_alpha_of_pairs() {
    Model& m = trained_.model;
    const std::size_t classes = targets_.classes.size();
    const std::size_t n = table_.rows();
    Matrix all = Matrix::zeros(n, classes - 1);
    std::vector<char> supports(n);
    for (const Part& part : parts_)
      for (std::size_t k = 0; k < part.rows.size(); ++k) {
        const double beta = part.machine.coefficients[k];
        if (beta == 0) continue;
        all(part.rows[k], part.y[k] > 0 ? part.second - 1 : part.first) = beta;
        supports[part.rows[k]] = 1;
      }
    std::vector<std::size_t> kept;
    m.support_counts.assign(classes, 0);
    for (std::size_t c = 0; c < classes; ++c)
      for (const std::size_t i : of_class_[c]) {
        if (supports[i] == 0) continue;
        kept.push_back(i);
        ++m.support_counts[c];
      }
    m.support = table_.points.select(kept);
    trained_.support_rows = kept;
    m.coefficients = Matrix{kept.size(), classes - 1, {}, {}};
    m.coefficients.values.reserve(kept.size() * (classes - 1));
    for (const std::size_t i : kept) {
      const auto row = all.row(i);
      m.coefficients.values.insert(m.coefficients.values.end(), row.begin(), row.end());
    }
  }

  void keep_offsets() {
    Model& m = trained_.model;
    if (pairs_) m.scheme = Model::Scheme::pairs;
    m.offsets.clear();
    for (const Part& part : parts_) m.offsets.push_back(offset_of(part));
  }

  // Scores of the examples are at hand, but those of pairs only for the examples of their two
  // classes: whoever wins all pairs of his own class cannot lose to another. Scores close to 0 may
  // have the other sign when they are computed again.
  void keep_what_is_said() {
    constexpr double close = 1e-2;
    if (!middle_.empty()) return;  // the model has to add up larger numbers
    for (const Part& part : parts_)
      if (part.machine.scores.empty() ||  // from a checkpoint
          part.machine.end == Svm::End::stalled || part.machine.end == Svm::End::not_separable)
        return;  // large numbers: what they say may be up to rounding
    const std::size_t n = table_.rows();
    trained_.said.assign(n, -1);
    if (!pairs_) {
      Matrix scores = Matrix::zeros(n, parts_.size());
      for (std::size_t c = 0; c < parts_.size(); ++c)
        for (std::size_t i = 0; i < n; ++i) scores(i, c) = parts_[c].machine.scores[i];
      const auto classes = classes_by_score(trained_.model, scores);
      for (std::size_t i = 0; i < n; ++i)
        if (parts_.size() == 1 ? std::abs(scores(i, 0)) > close : leads(scores.row(i), close))
          trained_.said[i] = classes[i];
      return;
    }
    for (std::size_t c = 0; c < of_class_.size(); ++c)
      for (const std::size_t i : of_class_[c]) trained_.said[i] = static_cast<std::int32_t>(c);
    for (const Part& part : parts_)
      for (std::size_t k = 0; k < part.rows.size(); ++k)
        if (!(part.y[k] * part.machine.scores[k] > close)) trained_.said[part.rows[k]] = -1;
  }

  // Whether the largest is so much larger than the others.
  static bool leads(std::span<const double> scores, double by) {
    const auto largest = std::ranges::max_element(scores);
    return std::ranges::count_if(scores, [&](double s) { return !(s < *largest - by); }) == 1;
  }

  // A sigmoid for each machine, fitted to scores of examples that others of its kind, trained
  // without them, gave.
  void calibrate(const Gram& K) {
    if (targets_.task != Model::Task::classification)
      throw Error("probabilities are for classes, not for regression");
    trained_.model.calibration.resize(parts_.size());
    std::atomic<bool> stop = false;
    std::atomic<bool> asked = false;  // to stop
    parallel_for(parts_.size(), how_.threads, [&](std::size_t p) {
      const Part& part = parts_[p];
      std::size_t number = 0;
      std::vector<double> scores(part.rows.size());
      Labels labels;
      labels.numbers = part.y;
      const SvmOptions all = options_for(part);
      for (const Split& fold :
           folds(labels, parts_in_folds(part), {.seed = options_.seed, .stratify = true})) {
        if (stop) return;
        SvmOptions o = all;
        o.threads = parts_.size() > 1 ? 1 : how_.threads;
        o.weights.clear();
        std::vector<std::size_t> rows;
        std::vector<double> y;
        for (const std::size_t k : fold.train) {
          rows.push_back(part.rows[k]);
          y.push_back(part.y[k]);
          if (!all.weights.empty()) o.weights.push_back(all.weights[k]);
        }
        if (parts_.size() == 1)
          o.observe = [&](const SvmProgress& progress) {
            if (options_.observe &&
                !options_.observe({"round", progress.rounds, {{"violation", progress.violation}}}))
              asked = true;
            return !asked;
          };
        const std::string key = fmt::format("{}, fold {}", key_of(p), ++number);
        const Svm s = solved(key, K.part(rows, o.threads), y, o);
        if (s.end == Svm::End::interrupted || s.end == Svm::End::seconds) {
          stop = true;
          return;
        }
        std::vector<std::size_t> left_out;
        for (const std::size_t k : fold.test) left_out.push_back(part.rows[k]);
        std::vector<double> f(left_out.size());
        K.apply(left_out, rows, s.coefficients, 1, f);
        for (std::size_t i = 0; i < f.size(); ++i) scores[fold.test[i]] = f[i] + s.offset;
      }
      std::vector<char> positive;
      for (const double y : part.y) positive.push_back(y > 0 ? 1 : 0);
      // Prices of classes move the boundary, not how often each class comes: rows count as the data
      // have it.
      std::vector<double> own;
      if (!table_.weights.empty())
        for (const std::size_t i : part.rows) own.push_back(table_.weights[i]);
      trained_.model.calibration[p] = fit_sigmoid(scores, positive, own);
    });
    if (!stop) return;
    unfinished_ = true;
    trained_.model.calibration.clear();
    trained_.interrupted = asked;
    trained_.message = asked ? "interrupted: the model has no probabilities"
                             : fmt::format("stopped after {:g} s: the model has no probabilities",
                                           course_.seconds);
  }

  // Five, or as many as the smaller class allows.
  static std::size_t parts_in_folds(const Part& part) {
    const auto positive = static_cast<std::size_t>(std::ranges::count(part.y, 1.0));
    const std::size_t fewest = std::min(positive, part.y.size() - positive);
    if (fewest < 2)
      throw Error("probabilities need two examples of each class at least, to hold one out");
    return std::min<std::size_t>(5, fewest);
  }

  void say(const std::string& name, const std::string& text) {
    trained_.report.emplace_back(name, text);
  }

  void report() {
    using End = Svm::End;
    trained_.converged = true;
    Json machines = Json::array();
    std::size_t moves = 0;
    std::size_t bounded = 0;
    std::size_t late = 0;  // machines that ended by the time
    bool stalled = false;
    double violation = 0;
    double primal = 0;
    double dual = 0;
    double gap = 0;
    double least_gap = 0;
    for (const Part& part : parts_) {
      const Svm& s = part.machine;
      trained_.converged = trained_.converged && s.end == End::converged;
      trained_.interrupted = trained_.interrupted || s.end == End::interrupted;
      if (trained_.message.empty() && s.end != End::seconds) trained_.message = s.message;
      late += s.end == End::seconds ? 1 : 0;
      stalled = stalled || s.end == End::stalled;
      moves += s.moves;
      bounded += s.bounded;
      violation = std::max(violation, s.violation);
      primal += s.primal;
      dual += s.dual;
      gap = std::max(gap, s.gap());
      least_gap = std::min(least_gap, s.gap());
      Json entry{{"primal", s.primal}, {"dual", s.dual},       {"violation", s.violation},
                 {"moves", s.moves},   {"support", s.support}, {"bounded", s.bounded},
                 {"offset", s.offset}};
      if (s.margin) entry["margin"] = *s.margin;
      if (s.tube) entry["tube"] = *s.tube;
      machines.push_back(entry);
    }
    if (late > 0)
      trained_.message = fmt::format(
          "stopped after {:g} s: optimality is violated by {:.2g}, more than {:.2g}{}{}",
          course_.seconds, violation, how_.tolerance,
          parts_.size() > 1 ? fmt::format(", in {} of {} machines", late, parts_.size()) : "",
          options_.probability ? "; the model has no probabilities" : "");
    if (parts_.size() > 1)
      say("machines",
          fmt::format("{}, {}", parts_.size(),
                      pairs_ ? "one for each pair of classes" : "each class against the rest"));
    const bool nu = how_.problem == Problem::nu_classification ||
                    how_.problem == Problem::nu_regression || how_.problem == Problem::one_class;
    std::string what = name_of(how_.problem);
    if (nu) what += fmt::format(", nu = {:g}", how_.nu);
    if (!nu && how_.problem != Problem::hard_margin) what += fmt::format(", C = {:g}", how_.C);
    if (how_.problem == Problem::regression) what += fmt::format(", epsilon = {:g}", how_.epsilon);
    if (!how_.offset) what += ", without an offset";
    say("problem", what);
    constexpr double rounding = 1e-5;
    if (std::isfinite(primal))  // else no rule satisfies a hard margin, and the message says so
      say("objective",
          fmt::format("primal {:.8g}, dual {:.8g}: ", primal, dual) +
              (least_gap < -rounding
                   ? fmt::format("no bounds, {}",
                                 stalled ? "by rounding errors" : "since this is not a kernel here")
                   : fmt::format("a gap of {:.2g}", gap)));
    say("optimality", fmt::format("violated by at most {:.2g} (tolerance {:g}), after {}",
                                  violation, how_.tolerance, counted(moves, "move")));
    if (parts_.size() == 1 && parts_[0].machine.margin)
      say("margin", fmt::format("{:.6g}", *parts_[0].machine.margin));
    if (parts_.size() == 1 && parts_[0].machine.tube)
      say("tube", fmt::format("epsilon = {:.6g}", *parts_[0].machine.tube));
    if (!trained_.model.calibration.empty())
      say("calibrated", "probabilities by a sigmoid on scores held out in five folds");
    summary_["learner"] = "svm";
    summary_["problem"] = name_of(how_.problem);
    summary_["options"] = {{"C", how_.C},
                           {"nu", how_.nu},
                           {"epsilon", how_.epsilon},
                           {"tolerance", how_.tolerance},
                           {"offset", how_.offset}};
    summary_["primal"] = primal;
    summary_["dual"] = dual;
    summary_["gap"] = gap;
    summary_["violation"] = violation;
    summary_["moves"] = moves;
    summary_["bounded"] = bounded;
    summary_["converged"] = trained_.converged;
    summary_["machines"] = machines;
  }

  const Table& table_;
  const Targets& targets_;
  const TrainOptions& options_;
  SvmOptions how_;
  Trained& trained_;
  Json& summary_;
  const Points& phi_;
  const Course& course_;
  bool pairs_ = false;
  std::vector<std::vector<std::size_t>> of_class_;  // rows
  std::vector<Part> parts_;
  std::vector<double> middle_;  // the new origin; empty: it is where it was
  bool unfinished_ = false;     // interrupted, or out of time
};

}  // namespace

void train_svm(const Table& table, const Targets& targets, const TrainOptions& options, double C,
               const Points& phi, const Course& course, Trained& trained, Json& summary) {
  SvmTrainer(table, targets, options, C, phi, course, trained, summary).run();
}

}  // namespace mercer::learn
