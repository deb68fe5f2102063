// mercer auto DATA: everything from the data, with an honest figure.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <mercer/error.hpp>

#include "base/text.hpp"
#include "cli/choosing.hpp"
#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/search_record.hpp"
#include "cli/tune_options.hpp"
#include "cli/watching.hpp"
#include "cli/writing.hpp"

namespace mercer::cli {

namespace {

using Options = SearchOptions;

// Why this one, in plain words.
std::string why(const Tuned& tuned) {
  const Candidate& best = tuned.best();
  // The best candidate of another kernel, without its parameters.
  const Candidate* second = nullptr;
  const auto shape = [](const Candidate& c) {
    std::string text = c.kernel.text();
    std::erase_if(text, [](char ch) { return (ch >= '0' && ch <= '9') || ch == '.'; });
    return text;
  };
  for (const Candidate& c : tuned.candidates) {
    if (c.rows != best.rows || shape(c) == shape(best)) continue;
    const bool better = second == nullptr ||
                        (tuned.more_is_better ? c.score > second->score : c.score < second->score);
    if (better) second = &c;
  }
  if (second == nullptr)
    return fmt::format("{} was ahead already on the smaller samples", best.kernel.text());
  const double ahead = std::abs(best.score - second->score);
  const double error = best.deviation / std::sqrt(static_cast<double>(best.by_fold.size()));
  return fmt::format("next best of another kind: {} with {:.4f}{}", second->kernel.text(),
                     second->score,
                     ahead < error ? ", which is no further away than chance would have it" : "");
}

// LIBSVM with columns that are mostly there: measurements rather than counts of words.
bool worth_scaling(const Examples& examples) {
  constexpr double mostly = 0.25;
  const Points x = examples.fit().table.points;
  return x.is_sparse() && static_cast<double>(x.entries()) > mostly *
                                                                 static_cast<double>(x.rows()) *
                                                                 static_cast<double>(x.columns());
}

ExitCode run_auto(const Options& options) {
  const std::string data_path = options.learner.table.path;
  const std::string out =
      options.learner.out.empty() ? default_model(data_path) : options.learner.out;
  check_apart({data_path, options.learner.table.labels}, {out});
  check_new_file(out, options.learner.force);
  TuneOptions how = tune_options(options);
  LearnerOptions reading = options.learner;
  ReadExamples read = read_examples(reading, options.groups);
  if (reading.scale.empty() && worth_scaling(read.examples)) {
    reading.scale = "standard";
    read = read_examples(reading, options.groups);
  }
  how.groups = read.groups;
  const StopOnInterrupt stop;
  Watcher watcher({});
  how.observe = [&](const std::vector<Candidate>& so_far) {
    if (so_far.empty()) return !StopOnInterrupt::asked();
    return watcher({"score", so_far.size(), {{"last", so_far.back().score}}});
  };
  how.train.observe = [](const TrainingStep&) { return !StopOnInterrupt::asked(); };
  const auto start = std::chrono::steady_clock::now();
  const AutoChoice result = choose_automatically(read.examples, how);
  watcher.done();
  if (StopOnInterrupt::asked()) {
    std::cerr << "mercer auto: interrupted; no model was written\n";
    return interrupted;
  }
  result.trained.model.save(out);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EncodingReport report = result.data.report;
  if (!options.json) report.filled = 0;  // it stands in the table
  auto notes = notes_of(report, result.data.encoding);
  notes.insert(notes.end(), result.held_out.notes.begin(), result.held_out.notes.end());
  if (options.json) {
    Json json{{"data", data_path},
              {"rows", result.data.table.rows()},
              {"columns", result.data.table.columns()},
              {"model", out},
              {"seconds", seconds},
              {"held_out", to_json(result.held_out)},
              {"search", to_json(result.tuned)},
              {"why", why(result.tuned)},
              {"notes", notes}};
    print(json);
    return done;
  }
  const auto& parts = result.held_out.parts;
  std::vector<std::pair<std::string, std::string>> rows{
      {"data", counted(result.data.table.rows(), "row") + ", " +
                   counted(result.data.table.columns(), "column")}};
  if (const auto note = scale_note(reading, result.data.encoding); !note.empty())
    rows.emplace_back("scale", note.substr(note.find(": ") + 2));
  if (result.data.report.filled > 0 && options.learner.table.missing == "indicator")
    rows.emplace_back("missing", fmt::format("{} values: the mean or the most frequent level "
                                             "instead, and a column that says so (--missing)",
                                             result.data.report.filled));
  rows.emplace_back("task", result.held_out.task == Model::Task::regression
                                ? "regression, by ridge regression"
                                : fmt::format("{} classes, by support vectors",
                                              result.trained.model.classes.size()));
  if (result.tuned.learner == Learner::svm && result.held_out.task == Model::Task::regression)
    rows.back().second = "regression, by support vectors";
  for (auto& line : lines_of(result.tuned)) rows.push_back(std::move(line));
  rows.emplace_back("why", why(result.tuned));
  rows.emplace_back(
      "held out",
      result.nested
          ? "each fifth of the rows in turn: chosen and learned without the rows that measure"
          : fmt::format("{} rows, which had no part in choosing or learning", parts[0].test));
  for (const auto& m : result.held_out.measures) rows.emplace_back("  " + m.name, figure(m));
  rows.emplace_back("time", fmt::format("{:.3g} s", seconds));
  rows.emplace_back("model", out + ", learned from all rows with what was chosen");
  print(aligned(rows));
  print_notes(notes);
  return done;
}

}  // namespace

void add_auto(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  Command* c = add_command(program, chosen, "auto",
                           "Choose everything from the data, learn, and say how good it is",
                           options, run_auto);
  options->learner.table.missing = "indicator";
  add_search_options(*c, *options);
  c->footer(
      "A fifth of the rows is held out (of fewer than 400 rows, each fifth in turn): what is "
      "chosen\n"
      "and learned from the others is measured there. The model is then learned from all rows.\n\n"
      "Examples:\n"
      "  mercer auto iris.csv\n"
      "  mercer auto houses.csv --task regression --json");
}

}  // namespace mercer::cli
