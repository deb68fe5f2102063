// How good will a rule be on data that it has not seen? Cross-validation: the rows are cut into
// parts, and each part is predicted by a rule that was learned from the others. Everything that is
// learned is learned from the others alone: the encoding and the scale of the columns, and what
// `train` chooses by itself (a width, C, λ).
//
//     Examples data = Examples::read("spam.csv", {}, {.scaling = Scaling::standard});
//     CrossValidation cv = cross_validate(data, {.kernel = rbf(0.1)}, {.folds = 5});
//     cv.measures[0].name, cv.measures[0].mean, cv.measures[0].deviation    // "accuracy", …
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/examples.hpp>
#include <mercer/metrics.hpp>
#include <mercer/train.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct CrossValidationOptions {
  std::size_t folds = 5;   // 0: as many as rows, each left out once
  std::size_t repeat = 1;  // with other parts each time
  std::uint64_t seed = 0;
  std::optional<bool> stratify = {};      // as in SplitOptions
  std::vector<std::int64_t> groups = {};  // rows of a group stay together; empty: none
  // After each part; false ends it with what there is.
  std::function<bool(std::size_t done, std::size_t all)> observe = {};
};

// A measure by its name: accuracy, balanced_accuracy, f1, auc, log_loss; rmse, mae, r2.
struct Metric {
  std::string name;
  bool more_is_better = true;
  Model::Task task = Model::Task::classification;
};
const std::vector<Metric>& metrics();
// Throws Error where there is none of the name, or not for this task.
const Metric& metric_named(const std::string& name, Model::Task task);
// Absent where it has no value.
std::optional<double> measure(const Metric& metric, const ClassificationScore& score);
std::optional<double> measure(const Metric& metric, const RegressionScore& score);

struct CrossValidation {
  Model::Task task = Model::Task::classification;
  struct Measure {
    std::string name;
    std::vector<std::optional<double>> by_part;
    std::optional<double> mean;       // over the parts where it has a value
    std::optional<double> deviation;  // of these; absent with one part
  };
  std::vector<Measure> measures;
  struct Part {
    std::size_t repetition = 0;  // from 0
    std::size_t fold = 0;
    std::size_t train = 0;  // rows
    std::size_t test = 0;
    double seconds = 0;
    std::vector<std::string> chosen;  // by `train`
    std::string message;              // of `train`
  };
  std::vector<Part> parts;
  // Of each row, in the first repetition: its part, what was predicted for it, and the scores,
  // where all parts have as many.
  std::vector<std::size_t> fold;
  std::vector<std::string> predicted;  // classes
  std::vector<double> numbers;         // or numbers
  Matrix scores;
  bool closed_form = false;  // left out by a formula, with one encoding for all rows
  bool interrupted = false;
  std::vector<std::string> notes;
};

// Throws Error. Kernels may name columns.
CrossValidation cross_validate(const Examples& examples, const TrainOptions& options,
                               const CrossValidationOptions& how = {});

}  // namespace mercer
