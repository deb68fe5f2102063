#include "learn/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <set>

namespace mercer::learn {

namespace {

constexpr std::size_t most_number_classes = 50;

bool look_like_classes(const Labels& labels) {
  if (labels.numbers.empty()) return true;
  std::set<double> values;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double v = labels.numbers[i];
    if (i > 0 && v == labels.numbers[i - 1]) continue;
    if (v != std::round(v)) return false;
    values.insert(v);
    if (values.size() > most_number_classes) return false;
  }
  return few_for_classes(values.size(), labels.size());
}

std::vector<double> weights_of(const Table& table, const Classes& classes,
                               const TrainOptions& options) {
  const auto by_class = class_weights(classes.names, classes.counts, options);
  std::vector<double> weights = table.weights;
  if (!options.balanced && options.class_weights.empty()) return weights;
  weights.resize(table.rows(), 1.0);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] *= by_class[static_cast<std::size_t>(classes.codes[i])];
  return weights;
}

// All rows are of class 1, whatever their labels; what is unlike them is -1.
Targets one_class_of(const Table& table) {
  Targets t;
  t.task = Model::Task::classification;
  t.classes = {"-1", "1"};
  t.numeric_classes = true;
  t.y = Matrix{table.rows(), 1, std::vector<double>(table.rows(), 1.0), {}};
  t.weights = table.weights;
  return t;
}

}  // namespace

bool few_for_classes(std::size_t values, std::size_t rows) {
  return values <= 2 || 2 * values <= rows;
}

std::vector<double> class_weights(const std::vector<std::string>& names,
                                  const std::vector<std::size_t>& counts,
                                  const TrainOptions& options) {
  std::vector<double> by_class(names.size(), 1.0);
  std::size_t rows = 0;
  for (const std::size_t count : counts) rows += count;
  if (options.balanced)
    for (std::size_t c = 0; c < by_class.size(); ++c)
      by_class[c] = static_cast<double>(rows) / static_cast<double>(by_class.size() * counts[c]);
  for (const auto& [name, weight] : options.class_weights) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end())
      throw Error("there is no class `" + name + "` to give a weight to; there are " +
                  fmt::format("{}", fmt::join(names, ", ")));
    if (!(weight >= 0) || !std::isfinite(weight))
      throw Error("the weight of class `" + name + "` is not a number >= 0");
    by_class[static_cast<std::size_t>(at - names.begin())] = weight;
  }
  return by_class;
}

double mean_weight(std::span<const double> weights) {
  double sum = 0;
  double count = 0;
  for (const double w : weights) {
    sum += w;
    count += w > 0 ? 1 : 0;
  }
  return count > 0 && std::isfinite(sum) ? sum / count : 1;
}

Targets targets_of(const Table& table, const TrainOptions& options,
                   std::vector<std::string>& chosen) {
  const Labels& labels = table.labels;
  if (options.learner == Learner::svm && options.svm.problem == SvmOptions::Problem::one_class)
    return one_class_of(table);
  if (labels.empty()) throw Error("the data have no labels: nothing to learn");
  Targets t;
  t.task = options.task.value_or(look_like_classes(labels) ? Model::Task::classification
                                                           : Model::Task::regression);
  if (t.task == Model::Task::regression) {
    if (labels.numbers.empty())
      throw Error("regression needs labels that are numbers; `" + labels.text(0) + "` is none");
    if (options.balanced || !options.class_weights.empty())
      throw Error("weights of classes are for classification, not for regression");
    t.y = Matrix{table.rows(), 1, labels.numbers, {}};
    t.weights = table.weights;
    if (!options.task) chosen.emplace_back("task: regression, the labels are numbers");
    return t;
  }
  const Classes classes = classes_of(labels);
  if (classes.names.size() < 2)
    throw Error("there is only one class, `" + classes.names[0] + "`: nothing to tell apart");
  if (!options.task)
    chosen.push_back(
        fmt::format("task: classification, the labels have {} values", classes.names.size()));
  t.classes = classes.names;
  t.numeric_classes = !labels.numbers.empty();
  t.weights = weights_of(table, classes, options);
  const std::size_t columns = classes.names.size() == 2 ? 1 : classes.names.size();
  t.scheme = columns == 1 ? Model::Scheme::one : Model::Scheme::per_class;
  t.y = Matrix{table.rows(), columns, std::vector<double>(table.rows() * columns, -1.0), {}};
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto c = static_cast<std::size_t>(classes.codes[i]);
    if (columns > 1) {
      t.y(i, c) = 1;
    } else if (c == 1) {
      t.y(i, 0) = 1;
    }
  }
  return t;
}

}  // namespace mercer::learn
