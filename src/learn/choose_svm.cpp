#include "learn/choose_svm.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <numeric>

#include "base/random.hpp"
#include "learn/task.hpp"

namespace mercer::learn {

namespace {

constexpr std::size_t most_rows = 1000;
constexpr std::size_t parts = 3;

Prediction predicted(const Model& m, const Points& points, const TrainOptions& options) {
  return predict(m, points,
                 {.threads = options.gram.threads,
                  .float64 = false,
                  .instructions = options.gram.instructions,
                  .rows_before = 0});
}

// The share of the rows that a rule learned from the other parts gets right.
double accuracy(const Table& table, const std::vector<Split>& all, const TrainOptions& options) {
  double right = 0;
  for (const Split& fold : all) {
    const Table learned = table.select(fold.train);
    const Table test = table.select(fold.test);
    const Model m = train(learned, Encoding::fit(learned), options).model;
    const Prediction p = predicted(m, test.points, options);
    const Classes truth = classes_of(test.labels);
    for (std::size_t i = 0; i < test.rows(); ++i)
      if (m.classes[static_cast<std::size_t>(p.classes[i])] ==
          truth.names[static_cast<std::size_t>(truth.codes[i])])
        ++right;
  }
  return right / static_cast<double>(table.rows());
}

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

double variance_of(const std::vector<double>& v) {
  const double mean = mean_of(v);
  double sum = 0;
  for (const double a : v) sum += (a - mean) * (a - mean);
  return sum / static_cast<double>(v.size());
}

// R² of rules learned from the other parts.
double share_explained(const Table& table, const std::vector<Split>& all,
                       const TrainOptions& options, double variance) {
  double squares = 0;
  for (const Split& fold : all) {
    const Table learned = table.select(fold.train);
    const Table test = table.select(fold.test);
    const Model m = train(learned, Encoding::fit(learned), options).model;
    const Prediction p = predicted(m, test.points, options);
    for (std::size_t i = 0; i < test.rows(); ++i) {
      const double error = p.scores(i, 0) - test.labels.numbers[i];
      squares += error * error;
    }
  }
  return 1 - squares / static_cast<double>(table.rows()) / variance;
}

// Without the classes that are too rare to be in every part; nothing where no two are left.
Table with_enough_of_each(const Table& sample) {
  const Classes classes = classes_of(sample.labels);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.rows(); ++i)
    if (classes.counts[static_cast<std::size_t>(classes.codes[i])] >= parts) rows.push_back(i);
  const auto left = std::ranges::count_if(classes.counts, [](auto n) { return n >= parts; });
  return left < 2 ? Table{} : sample.select(rows);
}

}  // namespace

std::optional<SvmChoice> choose_svm(const Table& table, Model::Task task,
                                    const TrainOptions& options, double gamma,
                                    const Course& course) {
  const bool classes = task == Model::Task::classification;
  Table sample = table.select(RandomNumbers(options.seed).sample(table.rows(), most_rows));
  if (classes) sample = with_enough_of_each(sample);
  if (sample.rows() < parts) return std::nullopt;
  const double variance = classes ? 1 : variance_of(sample.labels.numbers);
  if (!(variance > 0)) return std::nullopt;
  const auto all = folds(sample.labels, parts, {.seed = options.seed, .stratify = classes});
  TrainOptions how = options;
  how.learner = Learner::svm;
  how.task = task;
  how.observe = {};
  how.probability = false;
  how.checkpoint.reset();
  const bool free = !options.kernel && !options.map;
  std::optional<SvmChoice> best;
  // A little more is chance, and a smaller C the simpler rule.
  const double chance = classes ? 0.5 / static_cast<double>(sample.rows()) : 0.002;
  const auto measure = [&](double C, double width) {
    how.C = C;
    how.svm.seconds = course.left();
    if (free) how.kernel = rbf(width);
    const double merit =
        classes ? accuracy(sample, all, how) : share_explained(sample, all, how, variance);
    if (!best || merit > best->merit + chance)
      best = SvmChoice{C, free ? width : 0, merit, sample.rows()};
  };
  // An example's price is C times its weight; and an error of a number counts in units of numbers.
  const double unit = std::sqrt(variance) / mean_weight(sample.weights);
  for (const double C : {1.0, 10.0, 100.0, 1000.0})
    if (classes || C < 1000) measure(C * unit, gamma);
  if (free)
    for (const double factor : {4.0, 0.25, 16.0}) {
      const double C = best->C;
      measure(C, gamma * factor);
      measure(C * 10, gamma * factor);
    }
  return best;
}

}  // namespace mercer::learn
