#include "learn/choose_svm.hpp"

#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/split.hpp>

#include "base/random.hpp"
#include "learn/task.hpp"

namespace mercer::learn {

namespace {

constexpr std::size_t most_rows = 1000;
constexpr std::size_t parts = 3;

// The share of the rows that a rule learned from the other parts gets right.
double accuracy(const Table& table, const std::vector<Split>& all, const TrainOptions& options) {
  double right = 0;
  for (const Split& fold : all) {
    const Table learned = table.select(fold.train);
    const Table test = table.select(fold.test);
    const Model m = train(learned, Encoding::fit(learned), options).model;
    const Prediction p = predict(m, test.points,
                                 {.threads = options.gram.threads,
                                  .float64 = false,
                                  .instructions = options.gram.instructions,
                                  .rows_before = 0});
    const Classes truth = classes_of(test.labels);
    for (std::size_t i = 0; i < test.rows(); ++i)
      if (m.classes[static_cast<std::size_t>(p.classes[i])] ==
          truth.names[static_cast<std::size_t>(truth.codes[i])])
        ++right;
  }
  return right / static_cast<double>(table.rows());
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

std::optional<SvmChoice> choose_svm(const Table& table, const TrainOptions& options, double gamma,
                                    const Course& course) {
  const Table sample = with_enough_of_each(
      table.select(RandomNumbers(options.seed).sample(table.rows(), most_rows)));
  if (sample.rows() == 0) return std::nullopt;
  const auto all = folds(sample.labels, parts, {.seed = options.seed, .stratify = true});
  TrainOptions how = options;
  how.learner = Learner::svm;
  how.task = Model::Task::classification;
  how.observe = {};
  how.probability = false;
  how.checkpoint.reset();
  const bool free = !options.kernel && !options.map;
  std::optional<SvmChoice> best;
  const auto measure = [&](double C, double width) {
    how.C = C;
    how.svm.seconds = course.left();
    if (free) how.kernel = rbf(width);
    const double share = accuracy(sample, all, how);
    // A little more is chance, and a smaller C the simpler rule.
    const double chance = 0.5 / static_cast<double>(sample.rows());
    if (!best || share > best->accuracy + chance)
      best = SvmChoice{C, free ? width : 0, share, sample.rows()};
  };
  // An example's price is C times its weight.
  const double unit = 1 / mean_weight(sample.weights);
  for (const double C : {1.0, 10.0, 100.0, 1000.0}) measure(C * unit, gamma);
  if (free)
    for (const double factor : {4.0, 0.25, 16.0}) {
      const double C = best->C;
      measure(C, gamma * factor);
      measure(C * 10, gamma * factor);
    }
  return best;
}

}  // namespace mercer::learn
