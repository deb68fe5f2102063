#include "choose/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mercer/error.hpp>
#include <mercer/split.hpp>

#include "base/huge.hpp"
#include "base/random.hpp"
#include "comm/agree.hpp"
#include "learn/columns.hpp"
#include "scale/message.hpp"
#include "svm/passes.hpp"

namespace mercer::choose {

namespace {

using support::filled;

void put(scale::Message& to, const Score& s) {
  to.put(s.by_fold).put(s.mean).put(s.deviation).put(s.support).put(s.converged);
}

Score score_in(scale::MessageReader& from) {
  Score s;
  s.by_fold = from.get_all<double>();
  s.mean = from.get<double>();
  s.deviation = from.get<double>();
  s.support = from.get<std::size_t>();
  s.converged = from.get<bool>();
  return s;
}

template <class T>
std::vector<T> selected(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  if (values.empty()) return result;
  for (const std::size_t i : rows) result.push_back(values[i]);
  return result;
}

}  // namespace

Grid::Grid(const Table& table, const GridOptions& options, const comm::Comm& comm)
    : table_(table), options_(options), comm_(comm) {
  std::vector<std::string> chosen;
  targets_ = learn::targets_of(table, options.train, chosen);
  if (targets_.task == Model::Task::classification) codes_ = classes_of(table.labels).codes;
  if (!options.groups.empty() && options.groups.size() != table.rows())
    throw Error(fmt::format("{} groups for {} rows", options.groups.size(), table.rows()));
}

std::size_t Grid::most_rows() const {
  // Of ridge, doubles, and a factor besides.
  const bool ridge = options_.train.learner == Learner::ridge;
  const double bytes = ridge ? 2 * sizeof(double) : sizeof(float);
  const double share = 0.6 * static_cast<double>(options_.memory);
  return static_cast<std::size_t>(std::sqrt(share / bytes));
}

const Sample& Grid::sample_of(std::size_t rows) {
  for (const auto& s : samples_)
    if (s->wanted == rows) return *s;
  const std::uint64_t seed = options_.train.seed;
  std::vector<std::size_t> chosen;
  if (rows >= table_.rows()) {
    chosen = Rows::all().of(table_.rows());
  } else {
    // With the share of each class, and two of each at least where there are.
    SplitOptions how;
    how.seed = seed;
    how.test = static_cast<double>(rows) / static_cast<double>(table_.rows());
    how.stratify = targets_.task == Model::Task::classification;
    chosen = split(table_.labels, how).test;
  }
  std::vector<Split> splits;
  const Labels labels = table_.labels.select(chosen);
  if (options_.groups.empty()) {
    SplitOptions how;
    how.seed = seed;
    how.stratify = targets_.task == Model::Task::classification;
    splits = folds(labels, options_.folds, how);
  } else {
    splits = folds_of_groups(selected(options_.groups, chosen), options_.folds, seed);
  }
  auto s = std::make_unique<Sample>();
  s->wanted = rows;
  s->folds = {0};
  std::vector<std::size_t> order;
  for (const Split& fold : splits) {
    std::vector<std::size_t> members;
    for (const std::size_t k : fold.test) members.push_back(chosen[k]);
    if (!codes_.empty())
      std::ranges::stable_sort(members, {}, [&](std::size_t i) { return codes_[i]; });
    order.insert(order.end(), members.begin(), members.end());
    s->folds.push_back(order.size());
  }
  s->points = table_.points.select(order);
  s->codes = selected(codes_, order);
  s->weights = selected(targets_.weights, order);
  s->row_weights = selected(table_.weights, order);
  s->y = Matrix{order.size(), targets_.y.columns, {}, {}};
  for (const std::size_t i : order) {
    const auto row = targets_.y.row(i);
    s->y.values.insert(s->y.values.end(), row.begin(), row.end());
  }
  samples_.push_back(std::move(s));
  return *samples_.back();
}

void Grid::scores(const std::vector<Wanted>& wanted, std::size_t rows, const Take& take) {
  const Sample& sample = sample_of(rows);
  const bool ridge = options_.train.learner == Learner::ridge;
  const std::size_t n = sample.rows();
  const std::size_t bytes = n * filled(n) * (ridge ? sizeof(double) : sizeof(float));
  const std::size_t at_once =
      std::clamp<std::size_t>((options_.memory * 6 / 10) / std::max<std::size_t>(1, bytes), 1, 2);
  const auto go_on = [&] { return !options_.go_on || options_.go_on(); };
  const auto count_of = [&](std::size_t first) { return std::min(at_once, wanted.size() - first); };
  const auto note = [&](std::size_t first) {
    kernel_values_ += static_cast<double>(n) * static_cast<double>(n * count_of(first));
  };
  if (comm_.ranks() == 1) {
    for (std::size_t first = 0; first < wanted.size() && go_on(); first += at_once) {
      note(first);
      score_some(sample, wanted, first, count_of(first), go_on, take);
    }
    return;
  }
  // In rounds: each rank computes some kernels of a round, and then all get what all have found.
  for (std::size_t round = 0; round < wanted.size(); round += comm_.ranks() * at_once) {
    if (!go_on()) return;
    const auto parts = comm::together(comm_, [&] {
      scale::Message mine;
      const std::size_t first = round + comm_.rank() * at_once;
      if (first < wanted.size())
        score_some(
            sample, wanted, first, count_of(first), [] { return true; },
            [&](std::size_t, std::size_t, const Score& score) { put(mine, score); });
      return mine.bytes();
    });
    const std::string all = comm::told(comm_, [&] {
      std::string text;
      for (const auto& part : parts) text += part;
      return text;
    });
    scale::MessageReader reader(all);
    const std::size_t end = std::min(wanted.size(), round + comm_.ranks() * at_once);
    for (std::size_t k = round; k < end; ++k) {
      if (k > round && !go_on()) return;
      if ((k - round) % at_once == 0) note(k);
      for (std::size_t p = 0; p < wanted[k].prices.size(); ++p) take(k, p, score_in(reader));
    }
  }
}

void Grid::score_some(const Sample& sample, const std::vector<Wanted>& wanted, std::size_t first,
                      std::size_t count, const std::function<bool()>& go_on, const Take& take) {
  GramOptions how = options_.train.gram;
  how.storage = GramOptions::Storage::recomputed;
  if (options_.train.learner == Learner::ridge || options_.train.svm.tolerance < 1e-4)
    how.precision = GramOptions::Precision::float64;
  std::vector<Kernel> kernels;
  for (std::size_t k = first; k < first + count; ++k)
    kernels.push_back(learn::in_columns_of(table_, wanted[k].kernel));
  const Gram K(kernels, sample.points, how);
  if (K.report().precision == "float32") {
    score_batch<float>(sample, K, wanted, first, count, go_on, take);
  } else {
    score_batch<double>(sample, K, wanted, first, count, go_on, take);
  }
}

template <class T>
void Grid::score_batch(const Sample& sample, const Gram& K, const std::vector<Wanted>& wanted,
                       std::size_t first, std::size_t count, const std::function<bool()>& go_on,
                       const Take& take) {
  const std::size_t n = sample.rows();
  const std::size_t stride = filled(n);
  const std::size_t bytes = count * n * stride * sizeof(T);
  if (memory_.size() < bytes) {
    memory_ = HugeMemory();  // before the larger one is there
    memory_ = HugeMemory(bytes);
  }
  std::vector<T*> values;
  for (std::size_t k = 0; k < count; ++k)
    values.push_back(static_cast<T*>(memory_.data()) + k * n * stride);
  K.blocks(Rows::all(), Rows::all(), std::span<T* const>(values), stride);
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0 && !go_on()) return;
    AnswerOptions how;
    how.train = options_.train;
    how.prices = wanted[first + k].prices;
    how.give_up = options_.give_up;
    how.probabilities = options_.metric.name == "log_loss";
    std::vector<Answers> all;
    if (options_.train.learner == Learner::ridge) {
      if constexpr (std::is_same_v<T, double>)
        all = ridge_answers(sample, targets_, how, values[k], stride);
    } else {
      all = machine_answers<T>(sample, targets_, how, values[k], stride, pool<T>());
    }
    for (std::size_t p = 0; p < all.size(); ++p) take(first + k, p, measured(sample, all[p]));
  }
}

Score Grid::measured(const Sample& sample, const Answers& answers) const {
  Score score;
  score.support = answers.support;
  score.converged = answers.converged;
  if (!answers.solved) {  // not positive definite here: nobody's choice
    score.mean = -std::numeric_limits<double>::infinity();
    return score;
  }
  // The part of a matrix that is about a fold.
  const auto part = [](const Matrix& all, std::size_t begin, std::size_t count) {
    const auto values = std::span(all.values).subspan(begin * all.columns, count * all.columns);
    return Matrix{count, all.columns, {values.begin(), values.end()}, {}};
  };
  for (std::size_t fold = 0; fold + 1 < sample.folds.size(); ++fold) {
    const std::size_t begin = sample.folds[fold];
    const std::size_t count = sample.folds[fold + 1] - begin;
    const auto weights = sample.row_weights.empty()
                             ? std::span<const double>()
                             : std::span(sample.row_weights).subspan(begin, count);
    std::optional<double> value;
    if (targets_.task == Model::Task::regression) {
      RegressionScore s;
      std::vector<double> truth;
      for (std::size_t i = begin; i < begin + count; ++i) truth.push_back(sample.y(i, 0));
      s.add(truth, std::span(answers.numbers).subspan(begin, count), weights);
      value = measure(options_.metric, s);
    } else {
      ClassificationScore s(targets_.classes);
      const std::string& name = options_.metric.name;
      s.add(std::span(sample.codes).subspan(begin, count),
            std::span(answers.classes).subspan(begin, count),
            name == "auc" ? part(answers.merits, begin, count) : Matrix{},
            name == "log_loss" ? part(answers.probabilities, begin, count) : Matrix{}, weights);
      value = measure(options_.metric, s);
    }
    if (value) score.by_fold.push_back(options_.metric.more_is_better ? *value : -*value);
  }
  if (score.by_fold.empty())
    throw Error("the metric " + options_.metric.name + " has no value on any part of the data");
  for (const double v : score.by_fold) score.mean += v / static_cast<double>(score.by_fold.size());
  if (score.by_fold.size() > 1) {
    double squares = 0;
    for (const double v : score.by_fold) squares += (v - score.mean) * (v - score.mean);
    score.deviation = std::sqrt(squares / static_cast<double>(score.by_fold.size() - 1));
  }
  return score;
}

}  // namespace mercer::choose
