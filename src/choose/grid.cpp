#include "choose/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <mutex>

#include "base/aligned.hpp"
#include "base/huge.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "choose/named_columns.hpp"
#include "model/decide.hpp"
#include "numeric/cholesky.hpp"
#include "svm/held_out.hpp"
#include "svm/passes.hpp"

namespace mercer::choose {

// Rows of a fold stand together, in them those of a class.
struct Grid::Sample {
  std::size_t wanted = 0;  // rows that were asked for
  Points points;
  std::vector<std::size_t> folds;  // where each begins, and the end
  std::vector<std::int32_t> codes;
  Matrix y;
  std::vector<double> weights;      // of rows and classes; empty: 1
  std::vector<double> row_weights;  // of rows, for measuring

  [[nodiscard]] std::size_t rows() const { return points.rows(); }
};

namespace {

using support::filled;

template <class T>
std::vector<T> selected(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  if (values.empty()) return result;
  for (const std::size_t i : rows) result.push_back(values[i]);
  return result;
}

}  // namespace

Grid::Grid(const Table& table, const GridOptions& options) : table_(table), options_(options) {
  std::vector<std::string> chosen;
  targets_ = learn::targets_of(table, options.train, chosen);
  if (targets_.task == Model::Task::classification) codes_ = classes_of(table.labels).codes;
  if (!options.groups.empty() && options.groups.size() != table.rows())
    throw Error(fmt::format("{} groups for {} rows", options.groups.size(), table.rows()));
}

Grid::~Grid() = default;

std::size_t Grid::most_rows() const {
  // Of ridge, doubles, and a factor besides.
  const bool ridge = options_.train.learner == Learner::ridge;
  const double bytes = ridge ? 2 * sizeof(double) : sizeof(float);
  const double share = 0.6 * static_cast<double>(options_.memory);
  return static_cast<std::size_t>(std::sqrt(share / bytes));
}

const Grid::Sample& Grid::sample_of(std::size_t rows) {
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
    splits = folds(labels, std::min(options_.folds, chosen.size()), how);
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
  GramOptions how = options_.train.gram;
  how.storage = GramOptions::Storage::recomputed;
  if (ridge || options_.train.svm.tolerance < 1e-4) how.precision = GramOptions::Precision::float64;
  const std::size_t n = sample.rows();
  const std::size_t bytes = n * filled(n) * (ridge ? sizeof(double) : sizeof(float));
  const std::size_t at_once =
      std::clamp<std::size_t>((options_.memory * 6 / 10) / std::max<std::size_t>(1, bytes), 1, 4);
  for (std::size_t first = 0; first < wanted.size(); first += at_once) {
    if (options_.go_on && !options_.go_on()) return;
    const std::size_t count = std::min(at_once, wanted.size() - first);
    std::vector<Kernel> kernels;
    for (std::size_t k = first; k < first + count; ++k)
      kernels.push_back(in_columns_of(table_, wanted[k].kernel));
    const Gram K(kernels, sample.points, how);
    kernel_values_ += static_cast<double>(n) * static_cast<double>(n * count);
    if (K.report().precision == "float32") {
      score_batch<float>(sample, K, wanted, first, count, take);
    } else {
      score_batch<double>(sample, K, wanted, first, count, take);
    }
  }
}

template <class T>
void Grid::score_batch(const Sample& sample, const Gram& K, const std::vector<Wanted>& wanted,
                       std::size_t first, std::size_t count, const Take& take) {
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
    if (k > 0 && options_.go_on && !options_.go_on()) return;
    const auto& prices = wanted[first + k].prices;
    std::vector<Score> all;
    if (options_.train.learner == Learner::ridge) {
      if constexpr (std::is_same_v<T, double>) all = ridge(sample, values[k], stride, prices);
    } else {
      all = support_vectors<T>(sample, values[k], stride, prices);
    }
    for (std::size_t p = 0; p < all.size(); ++p) take(first + k, p, all[p]);
  }
}

// Machines as `train` makes them: one, one for each pair of classes, or each class against the
// rest.
template <class T>
std::vector<Score> Grid::support_vectors(const Sample& sample, const T* values, std::size_t stride,
                                         const std::vector<double>& prices) const {
  const std::size_t n = sample.rows();
  const bool regression = targets_.task == Model::Task::regression;
  const std::size_t classes = targets_.classes.size();
  const bool pairs = classes > 2 && options_.train.multiclass == TrainOptions::Multiclass::pairs;
  struct Machine {
    std::vector<std::size_t> rows;
    std::vector<double> y;
    std::size_t a;
    std::size_t b;
  };
  std::vector<Machine> machines;
  if (pairs) {
    for (std::size_t a = 0; a < classes; ++a)
      for (std::size_t b = a + 1; b < classes; ++b) {
        Machine m{{}, {}, a, b};
        for (std::size_t i = 0; i < n; ++i) {
          const auto c = static_cast<std::size_t>(sample.codes[i]);
          if (c != a && c != b) continue;
          m.rows.push_back(i);
          m.y.push_back(c == a ? 1 : -1);
        }
        machines.push_back(std::move(m));
      }
  } else {
    for (std::size_t c = 0; c < sample.y.columns; ++c) {
      Machine m{Rows::all().of(n), {}, c, c};
      for (std::size_t i = 0; i < n; ++i) m.y.push_back(sample.y(i, c));
      machines.push_back(std::move(m));
    }
  }
  support::HeldOutOptions how;
  how.prices = prices;
  how.folds = sample.folds;
  how.regression = regression;
  how.epsilon = options_.train.svm.epsilon;
  how.offset = options_.train.offset.value_or(true);
  how.tolerance = options_.train.svm.tolerance;
  how.give_up = options_.give_up;
  if (how.give_up) how.moves = 30;
  how.weights = sample.weights;
  how.instructions = options_.train.gram.instructions;
  const bool few_machines = machines.size() <= 2;
  how.apart = few_machines;
  how.threads = options_.train.gram.threads;

  // Of each price: votes and sums of scores by class, or scores.
  const std::size_t width = pairs ? classes : machines.size();
  std::vector<Matrix> votes(prices.size(), Matrix::zeros(pairs ? n : 0, pairs ? width : 0));
  std::vector<Matrix> sums(prices.size(), Matrix::zeros(n, width));
  std::vector<Score> all(prices.size());
  std::vector<support::HeldOutScores> found(machines.size());
  const support::AllValues<T> K{values, n, stride};
  const auto add = [&](const Machine& m, const support::HeldOutScores& s) {
    for (std::size_t p = 0; p < prices.size(); ++p) {
      all[p].support += s.support[p];
      all[p].converged = all[p].converged && s.converged;
      for (std::size_t i = 0; i < n; ++i) {
        const double f = s.scores[p][i];
        if (pairs) {
          votes[p](i, f > 0 ? m.a : m.b) += 1;
          sums[p](i, m.a) += f;
          sums[p](i, m.b) -= f;
        } else {
          sums[p](i, m.a) = f;
        }
      }
    }
  };
  std::mutex mutex;
  std::vector<std::unique_ptr<support::HeldOutMemory<T>>> idle;
  // A few at a time: scores are added in the order of the machines, whatever the threads do.
  constexpr std::size_t at_once = 16;
  for (std::size_t begin = 0; begin < machines.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, machines.size() - begin);
    parallel_for(count, few_machines ? 1 : options_.train.gram.threads, [&](std::size_t k) {
      const Machine& m = machines[begin + k];
      std::unique_ptr<support::HeldOutMemory<T>> memory;
      {
        const std::scoped_lock lock(mutex);
        if (!idle.empty()) {
          memory = std::move(idle.back());
          idle.pop_back();
        }
      }
      if (!memory) memory = std::make_unique<support::HeldOutMemory<T>>();
      found[begin + k] = support::held_out_scores(K, m.rows, m.y, how, *memory);
      const std::scoped_lock lock(mutex);
      idle.push_back(std::move(memory));
    });
    for (std::size_t k = begin; k < begin + count; ++k) {
      add(machines[k], found[k]);
      found[k] = {};
    }
  }
  for (std::size_t p = 0; p < prices.size(); ++p) {
    const Score counted = all[p];
    if (regression) {
      all[p] = measured(sample, {}, {}, sums[p].values);
    } else {
      std::vector<std::int32_t> classes_found;
      const Matrix& by = pairs ? votes[p] : sums[p];
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = by.row(i);
        classes_found.push_back(
            classes == 2 ? (row[0] > 0 ? 1 : 0)
                         : static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
      }
      if (pairs)
        for (std::size_t e = 0; e < sums[p].values.size(); ++e)
          sums[p].values[e] = model::merit_of_votes(votes[p].values[e], sums[p].values[e]);
      all[p] = measured(sample, classes_found, sums[p], {});
    }
    all[p].support = counted.support / (sample.folds.size() - 1);
    all[p].converged = counted.converged;
  }
  return all;
}

// Each fold's system from the same values: (K + λ C⁻¹) α = y among the others.
std::vector<Score> Grid::ridge(const Sample& sample, const double* values, std::size_t stride,
                               const std::vector<double>& prices) const {
  const std::size_t n = sample.rows();
  const std::size_t width = sample.y.columns;
  const numeric::How how{options_.train.gram.threads, options_.train.gram.instructions};
  std::vector<Score> all;
  for (const double lambda : prices) {
    Matrix f = Matrix::zeros(n, width);
    bool solved = true;
    for (std::size_t fold = 0; fold + 1 < sample.folds.size() && solved; ++fold) {
      const std::size_t begin = sample.folds[fold];
      const std::size_t end = sample.folds[fold + 1];
      std::vector<std::size_t> train;
      for (std::size_t i = 0; i < n; ++i)
        if ((i < begin || i >= end) && (sample.weights.empty() || sample.weights[i] > 0))
          train.push_back(i);
      const std::size_t m = train.size();
      Aligned<double> A(m * m);
      std::vector<double> alpha(m * width);
      for (std::size_t i = 0; i < m; ++i) {
        const double* row = values + train[i] * stride;
        for (std::size_t j = 0; j <= i; ++j) A[i * m + j] = row[train[j]];
        A[i * m + i] += lambda / (sample.weights.empty() ? 1.0 : sample.weights[train[i]]);
        for (std::size_t c = 0; c < width; ++c) alpha[i * width + c] = sample.y(train[i], c);
      }
      solved = numeric::cholesky(A.data(), m, m, how) == m;
      if (!solved) break;
      numeric::solve_cholesky(A.data(), m, m, alpha.data(), width, width, how);
      for (std::size_t i = begin; i < end; ++i) {
        const double* row = values + i * stride;
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t c = 0; c < width; ++c) f(i, c) += row[train[j]] * alpha[j * width + c];
      }
    }
    if (!solved) {  // not positive definite here: nobody's choice
      Score none;
      none.mean = -std::numeric_limits<double>::infinity();
      none.converged = false;
      all.push_back(none);
      continue;
    }
    if (targets_.task == Model::Task::regression) {
      all.push_back(measured(sample, {}, {}, f.values));
    } else {
      std::vector<std::int32_t> classes;
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = f.row(i);
        classes.push_back(
            width == 1 ? (row[0] > 0 ? 1 : 0)
                       : static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
      }
      all.push_back(measured(sample, classes, f, {}));
    }
    all.back().support = n;
  }
  return all;
}

Score Grid::measured(const Sample& sample, const std::vector<std::int32_t>& classes,
                     const Matrix& merits, const std::vector<double>& numbers) const {
  Score score;
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
      s.add(truth, std::span(numbers).subspan(begin, count), weights);
      value = measure(options_.metric, s);
    } else {
      ClassificationScore s(targets_.classes);
      Matrix ranks;
      if (options_.metric.name == "auc") {
        const auto part =
            std::span(merits.values).subspan(begin * merits.columns, count * merits.columns);
        ranks = Matrix{count, merits.columns, {part.begin(), part.end()}, {}};
      }
      s.add(std::span(sample.codes).subspan(begin, count), std::span(classes).subspan(begin, count),
            ranks, {}, weights);
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
