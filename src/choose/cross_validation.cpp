#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mercer/cross_validation.hpp>
#include <mercer/error.hpp>
#include <mercer/split.hpp>

#include "choose/imbalance.hpp"
#include "choose/left_out.hpp"
#include "choose/outer.hpp"
#include "learn/columns.hpp"
#include "learn/task.hpp"

namespace mercer {

namespace {

struct MeanAndDeviation {
  std::optional<double> mean;
  std::optional<double> deviation;
};

MeanAndDeviation summary(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  double count = 0;
  for (const auto& v : values)
    if (v) {
      sum += *v;
      ++count;
    }
  if (count == 0) return {};
  const double mean = sum / count;
  if (count == 1) return {mean, {}};
  double squares = 0;
  for (const auto& v : values)
    if (v) squares += (*v - mean) * (*v - mean);
  return {mean, std::sqrt(squares / (count - 1))};
}

class CrossValidator {
 public:
  CrossValidator(const Examples& examples, const TrainOptions& options,
                 const CrossValidationOptions& how, const choose::Learn& learn,
                 const Split* given = nullptr)
      : examples_(examples), options_(options), how_(how), learn_(learn), given_(given) {
    if (examples.labels().empty()) throw Error("the data have no labels: nothing to predict");
    if (options.learner == Learner::svm && options.svm.problem == SvmOptions::Problem::one_class)
      throw Error("one class has no labels to predict: there is nothing to cross-validate");
    if (!how.groups.empty() && how.groups.size() != examples.rows())
      throw Error(fmt::format("{} groups for {} rows", how.groups.size(), examples.rows()));
    if (!how.groups.empty() && how.folds == 0)
      throw Error("leaving one out leaves no group together: give a number of folds");
    if (how.folds == 0 && how.repeat > 1)
      throw Error("leaving one out is the same each time: leave out the repetitions");
    if (how.repeat == 0) throw Error("cross-validation is to be repeated 0 times");
    Table labels_only;
    labels_only.points = Points::own(std::vector<double>(examples.rows()), examples.rows(), 1);
    labels_only.labels = examples.labels();
    labels_only.weights = examples.weights();
    std::vector<std::string> chosen;
    const learn::Targets targets = learn::targets_of(labels_only, options, chosen);
    options_.task = targets.task;
    result_.task = targets.task;
    classes_ = targets.classes;
    for (const Metric& m : metrics())
      if (m.task == result_.task) result_.measures.push_back({m.name, {}, {}, {}});
  }

  CrossValidation run() {
    result_.fold.assign(examples_.rows(), 0);
    if (result_.task == Model::Task::classification) {
      result_.predicted.resize(examples_.rows());
    } else {
      result_.numbers.resize(examples_.rows());
    }
    if (how_.folds == 0 && !learn_ && closed_form()) return std::move(result_);
    std::size_t done = 0;
    const std::size_t folds = given_ ? 1 : how_.folds == 0 ? examples_.rows() : how_.folds;
    for (std::size_t r = 0; r < how_.repeat && !result_.interrupted; ++r) {
      const auto splits = given_ ? std::vector<Split>{*given_} : splits_of(r);
      if (!classes_.empty()) pooled_classes_.emplace(classes_);
      pooled_numbers_ = {};
      for (std::size_t f = 0; f < folds; ++f) {
        part(r, f, how_.folds == 0 ? without(f) : splits[f]);
        if (result_.interrupted) break;
        ++done;
        const std::size_t all = folds * how_.repeat;
        if (how_.observe && !how_.observe(done, all) && done < all) result_.interrupted = true;
        if (result_.interrupted) break;
      }
      // One row has no spread and no ranking: of leaving one out, all rows are measured together.
      if (how_.folds == 0 && !result_.interrupted)
        add_measures(pooled_classes_ ? &*pooled_classes_ : nullptr, pooled_numbers_);
    }
    finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::vector<Split> splits_of(std::size_t repetition) const {
    const std::uint64_t seed = how_.seed + repetition;
    if (how_.folds == 0) return {};
    if (!how_.groups.empty()) return folds_of_groups(how_.groups, how_.folds, seed);
    SplitOptions split;
    split.seed = seed;
    split.stratify = how_.stratify;
    if (!split.stratify) split.stratify = result_.task == Model::Task::classification;
    return folds(examples_.labels(), how_.folds, split);
  }

  [[nodiscard]] Split without(std::size_t i) const {
    Split result;
    result.test = {i};
    for (std::size_t j = 0; j < examples_.rows(); ++j)
      if (j != i) result.train.push_back(j);
    return result;
  }

  // Ridge, each row left out: the errors come from the one solution.
  bool closed_form() {
    const bool ridge = options_.learner.value_or(result_.task == Model::Task::regression
                                                     ? Learner::ridge
                                                     : Learner::svm) == Learner::ridge;
    if (!ridge || result_.task != Model::Task::regression || how_.repeat > 1) return false;
    const auto begun = std::chrono::steady_clock::now();
    const EncodedTable all = examples_.fit();
    const choose::LeftOut left_out = choose::left_out(all, options_);
    if (left_out.errors.empty()) return false;
    for (std::size_t i = 0; i < examples_.rows(); ++i) {
      result_.fold[i] = i;
      result_.numbers[i] = examples_.labels().numbers[i] - left_out.errors[i];
    }
    RegressionScore score;
    score.add(examples_.labels().numbers, result_.numbers, examples_.weights());
    add_measures(nullptr, score);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
    result_.parts.push_back(
        {0, 0, examples_.rows() - 1, examples_.rows(), seconds.count(), left_out.chosen, {}});
    result_.closed_form = true;
    finish();
    return true;
  }

  void part(std::size_t repetition, std::size_t fold, const Split& split) {
    const auto begun = std::chrono::steady_clock::now();
    const EncodedTable training = examples_.select(split.train).fit();
    const Table test = examples_.select(split.test).encoded(training.encoding);
    Trained trained;
    try {
      trained = learn_ ? learn_(training, split.train)
                       : train(training.table, training.encoding,
                               learn::in_columns_of(training.table, options_));
    } catch (const Error& error) {
      throw Error(fmt::format("part {} of {}, {} rows for training: {}", fold + 1,
                              how_.folds == 0 ? examples_.rows() : how_.folds, split.train.size(),
                              error.what()));
    }
    if (trained.interrupted) {  // a rule that was not finished says nothing about others
      result_.interrupted = true;
      return;
    }
    const Prediction p = predict(trained.model, test.points,
                                 {options_.gram.threads, false, options_.gram.instructions, 0});
    if (repetition == 0) keep(fold, split, trained.model, p);
    score(trained.model, test, p);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;
    result_.parts.push_back({repetition, fold, split.train.size(), split.test.size(),
                             seconds.count(), trained.chosen, trained.message});
  }

  void keep(std::size_t fold, const Split& split, const Model& model, const Prediction& p) {
    if (fold == 0) result_.scores = Matrix::zeros(examples_.rows(), p.scores.columns);
    const bool same = p.scores.columns == result_.scores.columns &&
                      (model.task == Model::Task::regression || model.classes == classes_);
    if (!same) result_.scores = {};
    for (std::size_t k = 0; k < split.test.size(); ++k) {
      const std::size_t i = split.test[k];
      result_.fold[i] = fold;
      if (model.task == Model::Task::regression) {
        result_.numbers[i] = p.scores(k, 0);
      } else {
        result_.predicted[i] = model.classes[static_cast<std::size_t>(p.classes[k])];
      }
      if (same)
        for (std::size_t c = 0; c < p.scores.columns; ++c) result_.scores(i, c) = p.scores(k, c);
    }
  }

  void score(const Model& model, const Table& test, const Prediction& p) {
    std::optional<ClassificationScore> of_classes;
    RegressionScore numbers;
    if (model.task == Model::Task::regression) {
      numbers.add(test.labels.numbers, p.scores.values, test.weights);
      pooled_numbers_.add(test.labels.numbers, p.scores.values, test.weights);
    } else {
      ClassificationScore& classes = of_classes.emplace(model.classes);
      std::map<std::string, std::int32_t> numbers_of;
      for (std::size_t c = 0; c < model.classes.size(); ++c)
        numbers_of.emplace(model.classes[c], static_cast<std::int32_t>(c));
      const Classes found = classes_of(test.labels);
      std::vector<std::int32_t> truth;
      for (const std::int32_t code : found.codes) {
        const std::string& name = found.names[static_cast<std::size_t>(code)];
        const auto at = numbers_of.find(name);
        truth.push_back(at == numbers_of.end() ? classes.other(name) : at->second);
      }
      const Matrix ranks = merits(model, p);
      classes.add(truth, p.classes, ranks, p.probabilities, test.weights);
      if (how_.folds == 0 && model.classes == classes_)
        pooled_classes_->add(truth, p.classes, ranks, p.probabilities, test.weights);
    }
    if (how_.folds != 0) add_measures(of_classes ? &*of_classes : nullptr, numbers);
  }

  void add_measures(const ClassificationScore* classes, const RegressionScore& numbers) {
    for (auto& m : result_.measures) {
      const Metric& metric = metric_named(m.name, result_.task);
      m.by_part.push_back(classes == nullptr ? measure(metric, numbers)
                                             : measure(metric, *classes));
    }
  }

  void finish() {
    for (auto& m : result_.measures) {
      const auto s = summary(m.by_part);
      m.mean = s.mean;
      m.deviation = s.deviation;
    }
    std::erase_if(result_.measures, [](const auto& m) { return !m.mean; });
    if (auto note = choose::imbalance(examples_.labels(), result_.task); !note.empty())
      result_.notes.push_back(std::move(note));
  }

  const Examples& examples_;
  TrainOptions options_;
  const CrossValidationOptions& how_;
  const choose::Learn& learn_;  // none: `train` with the options
  const Split* given_;          // the only part; null: by `how`
  std::vector<std::string> classes_;
  std::optional<ClassificationScore> pooled_classes_;  // of a repetition
  RegressionScore pooled_numbers_;
  CrossValidation result_;
};

}  // namespace

CrossValidation choose::cross_validate_by(const Examples& examples, const TrainOptions& options,
                                          const CrossValidationOptions& how, const Learn& learn) {
  return CrossValidator(examples, options, how, learn).run();
}

CrossValidation choose::tested_on(const Examples& examples, const TrainOptions& options,
                                  const Split& split, const Learn& learn) {
  const CrossValidationOptions one;
  return CrossValidator(examples, options, one, learn, &split).run();
}

CrossValidation cross_validate(const Examples& examples, const TrainOptions& options,
                               const CrossValidationOptions& how) {
  return choose::cross_validate_by(examples, options, how, {});
}

}  // namespace mercer
