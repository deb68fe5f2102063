#include <fmt/format.h>

#include <mercer/error.hpp>
#include <mercer/split.hpp>
#include <mercer/tune.hpp>

#include "base/text.hpp"
#include "choose/outer.hpp"
#include "learn/task.hpp"

namespace mercer {

namespace {

constexpr std::size_t few_rows = 400;         // that holding a part out would leave too few
constexpr std::size_t rows_to_choose = 6000;  // more tell candidates apart no better

Trained chosen_and_trained(const Table& table, const Encoding& encoding, const TuneOptions& options,
                           Tuned& tuned) {
  tuned = tune(table, options);
  return train(table, encoding, chosen_options(tuned, options));
}

}  // namespace

std::vector<Kernel> usual_kernels(Model::Task task) {
  std::vector<Kernel> kernels;
  for (const char* text : {"rbf(gamma=?)", "laplacian(gamma=?)", "linear"})
    kernels.push_back(Kernel::parse(text));
  kernels.push_back(Kernel::parse(task == Model::Task::classification ? "poly(2, gamma=?)"
                                                                      : "matern(1.5, length=?)"));
  return kernels;
}

AutoChoice choose_automatically(const Examples& examples, TuneOptions options) {
  AutoChoice result;
  // Five parts, and five of what is left of them.
  constexpr std::size_t least_rows = 7;
  if (examples.rows() < least_rows)
    throw Error(fmt::format(
        "{} are too few to choose by, and to be tested on; expected {} or more (`mercer train` "
        "chooses nothing by held-out rows, and takes as few)",
        counted(examples.rows(), "row"), least_rows));
  if (options.rows == 0) options.rows = rows_to_choose;
  if (options.kernels.empty()) options.compose = true;
  result.data = examples.fit();
  const auto with_kernels = [&](Model::Task task) {
    TuneOptions o = options;
    if (o.kernels.empty()) o.kernels = usual_kernels(task);
    return o;
  };
  const choose::Learn learn = [&](const EncodedTable& training,
                                  const std::vector<std::size_t>& rows) {
    TuneOptions inner = options;
    inner.groups.clear();
    if (!options.groups.empty())
      for (const std::size_t i : rows) inner.groups.push_back(options.groups[i]);
    if (inner.kernels.empty()) {
      std::vector<std::string> chosen;
      inner.kernels = usual_kernels(learn::targets_of(training.table, inner.train, chosen).task);
    }
    Tuned tuned;
    Trained trained = chosen_and_trained(training.table, training.encoding, inner, tuned);
    if (!result.nested) result.tuned = tuned;
    trained.chosen = {tuned.best().kernel.text()};
    trained.interrupted = trained.interrupted || (tuned.interrupted && options.seconds == 0);
    return trained;
  };
  result.nested = examples.rows() < few_rows;
  TrainOptions train_options = options.train;
  if (result.nested) {
    CrossValidationOptions outer;
    outer.seed = options.train.seed;
    outer.groups = options.groups;
    result.held_out = choose::cross_validate_by(examples, train_options, outer, learn);
    TuneOptions all = with_kernels(result.held_out.task);
    if (result.held_out.interrupted) return result;
    result.trained = chosen_and_trained(result.data.table, result.data.encoding, all, result.tuned);
    return result;
  }
  Split parts;
  if (options.groups.empty()) {
    SplitOptions how;
    how.test = 0.2;
    how.seed = options.train.seed;
    parts = split(examples.labels(), how);
  } else {
    parts = folds_of_groups(options.groups, 5, options.train.seed)[0];
  }
  result.held_out = choose::tested_on(examples, train_options, parts, learn);
  if (result.held_out.interrupted) return result;
  result.trained = train(result.data.table, result.data.encoding,
                         chosen_options(result.tuned, with_kernels(result.held_out.task)));
  return result;
}

}  // namespace mercer
