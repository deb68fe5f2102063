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

// The sum of what `counts` says of each part: of a rule that was learned from the others, and of
// what it predicts there.
template <class Counts>
double over_parts(const Table& table, const std::vector<Split>& all, const TrainOptions& options,
                  const Counts& counts) {
  double sum = 0;
  for (const Split& fold : all) {
    const Table learned = table.select(fold.train);
    const Table test = table.select(fold.test);
    const Model m = train(learned, Encoding::fit(learned), options).model;
    sum += counts(m, test.labels,
                  predict(m, test.points,
                          {.threads = options.gram.threads,
                           .float64 = false,
                           .instructions = options.gram.instructions,
                           .rows_before = 0}));
  }
  return sum;
}

// How many are of the class that was predicted.
double right(const Model& m, const Labels& labels, const Prediction& p) {
  const Classes truth = classes_of(labels);
  double count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (m.classes[static_cast<std::size_t>(p.classes[i])] ==
        truth.names[static_cast<std::size_t>(truth.codes[i])])
      ++count;
  return count;
}

double squared_errors(const Model& /*m*/, const Labels& labels, const Prediction& p) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double error = p.scores(i, 0) - labels.numbers[i];
    sum += error * error;
  }
  return sum;
}

double variance_of(const std::vector<double>& v) {
  const auto n = static_cast<double>(v.size());
  const double mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
  double sum = 0;
  for (const double a : v) sum += (a - mean) * (a - mean);
  return sum / n;
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
    const auto rows = static_cast<double>(sample.rows());
    const double merit = classes
                             ? over_parts(sample, all, how, right) / rows
                             : 1 - over_parts(sample, all, how, squared_errors) / rows / variance;
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
