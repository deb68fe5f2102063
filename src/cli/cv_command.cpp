// mercer cv DATA: how good will a rule be on data that it has not seen?
#include <fmt/format.h>

#include <iostream>
#include <mercer/error.hpp>
#include <set>

#include "base/text.hpp"
#include "cli/choosing.hpp"
#include "cli/command.hpp"
#include "cli/values.hpp"
#include "cli/watching.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

struct CvCall {
  LearnerOptions learner;
  std::size_t folds = 5;
  std::size_t repeat = 1;
  bool leave_one_out = false;
  std::string groups;
  std::string out;
  bool force = false;
  bool json = false;
};

// Row, part, label, what was predicted, and the scores.
Table predictions(const CrossValidation& cv, const Labels& labels) {
  const std::size_t n = cv.fold.size();
  Table table;
  table.names = {"row", "part"};
  std::vector<double> values;
  const bool numbers = cv.task == Model::Task::regression;
  if (numbers) table.names.insert(table.names.end(), {"label", "predicted"});
  const std::size_t scores = numbers ? 0 : cv.scores.columns;
  for (std::size_t c = 0; c < scores; ++c)
    table.names.push_back(scores == 1 ? "score" : "score " + std::to_string(c + 1));
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(static_cast<double>(i + 1));
    values.push_back(static_cast<double>(cv.fold[i] + 1));
    if (numbers) {
      values.push_back(labels.numbers[i]);
      values.push_back(cv.numbers[i]);
    }
    for (std::size_t c = 0; c < scores; ++c) values.push_back(cv.scores(i, c));
  }
  table.points = Points::own(std::move(values), n, table.names.size());
  if (numbers) return table;
  // Text comes last: what was predicted. The label is in the data.
  std::set<std::string> names(cv.predicted.begin(), cv.predicted.end());
  table.labels.classes.assign(names.begin(), names.end());
  for (const auto& p : cv.predicted)
    table.labels.codes.push_back(
        static_cast<std::int32_t>(std::distance(names.begin(), names.find(p))));
  table.labels.name = "predicted";
  return table;
}

ExitCode run_cv(const CvCall& options) {
  const Output out{options.out, {}, options.force};
  if (!options.out.empty()) {
    check_apart({options.learner.table.path, options.learner.table.labels}, {options.out});
    check_new_file(options.out, options.force);
    written_as(options.out);
  }
  if (!options.learner.libsvm.empty())
    throw Error("--libsvm-options is for `mercer train`; here write -k and -C");
  if (options.learner.leave_one_out)
    throw Error("--loo is for `mercer train`; here --leave-one-out leaves each row out");
  TrainOptions how = train_options(options.learner, learner_of(options.learner));
  const ReadExamples data = read_examples(options.learner, options.groups);
  set_rule(options.learner, data.examples.fit().table, how);
  CrossValidationOptions cv;
  cv.folds = options.leave_one_out ? 0 : options.folds;
  cv.repeat = options.repeat;
  cv.seed = options.learner.seed;
  cv.groups = data.groups;
  const StopOnInterrupt stop;
  Watcher watcher({});
  cv.observe = [&](std::size_t done, std::size_t all) {
    return watcher({"part", done, {{"of", static_cast<double>(all)}}});
  };
  how.observe = [](const TrainingStep&) { return !StopOnInterrupt::asked(); };
  const CrossValidation result = cross_validate(data.examples, how, cv);
  watcher.done();
  if (!options.out.empty() && !result.interrupted)
    write(predictions(result, data.examples.labels()), out);
  if (options.json) {
    Json json{{"data", options.learner.table.path}, {"rows", data.examples.rows()}};
    json.update(to_json(result));
    print(json);
  } else {
    std::vector<std::pair<std::string, std::string>> rows{
        {"data", counted(data.examples.rows(), "row")},
        {"parts",
         result.closed_form ? "each row left out, by the formula for ridge; one encoding for "
                              "all rows"
         : options.leave_one_out
             ? "each row left out"
             : fmt::format("{}{}{}", options.folds,
                           options.repeat > 1 ? fmt::format(", {} times", options.repeat) : "",
                           data.groups.empty() ? "" : ", groups kept together")}};
    for (const auto& m : result.measures) rows.emplace_back(m.name, figure(m));
    print(aligned(rows));
    if (const std::string parts = table_of_parts(result); !parts.empty()) print(parts);
    for (const auto& note : result.notes) std::cerr << "note: " << note << "\n";
  }
  if (!result.interrupted) return done;
  std::cerr << fmt::format("mercer cv: interrupted; the figures are of {} parts\n",
                           result.parts.size());
  return interrupted;
}

}  // namespace

void add_cv(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<CvCall>();
  Command* c = add_command(program, chosen, "cv",
                           "Cross-validate: how good is a rule on rows it did not learn from?",
                           options, run_cv);
  add_learner_options(*c, options->learner);
  auto* folds = c->add_option("--folds", options->folds, "parts, each of which is predicted once")
                    ->check(whole_number(2))
                    ->type_name("K")
                    ->capture_default_str();
  auto* repeat = c->add_option("--repeat", options->repeat, "with other parts each time")
                     ->check(whole_number(1, 10'000))
                     ->type_name("R")
                     ->capture_default_str();
  c->add_flag("--leave-one-out", options->leave_one_out,
              "as many parts as rows; of ridge by a formula, at once")
      ->excludes(folds)
      ->excludes(repeat);
  add_group_option(*c, options->groups);
  c->add_option("-o,--out", options->out,
                "what was predicted for each row by a rule that had not seen it: .csv, .tsv, …; "
                "with --repeat, the first time")
      ->type_name("FILE");
  c->add_flag("--force", options->force, "replace the file if it is there");
  c->footer(
      "Classes are spread evenly over the parts. Encoding, scale, and what is chosen from the "
      "data\n"
      "(C, a width, lambda) are learned anew for each part, from the others alone.\n\n"
      "Examples:\n"
      "  mercer cv iris.csv\n"
      "  mercer cv spam.csv -k 'rbf(0.1)' -C 10 --folds 10 --repeat 3\n"
      "  mercer cv houses.csv --learner ridge --leave-one-out\n"
      "  mercer cv visits.csv --groups patient -o out-of-fold.csv");
}

}  // namespace mercer::cli
