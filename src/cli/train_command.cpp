// mercer train DATA: a model from data.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <mercer/metrics.hpp>
#include <mercer/train.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernel_notes.hpp"
#include "cli/large_training.hpp"
#include "cli/learner_options.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/ranks.hpp"
#include "cli/theta_words.hpp"
#include "cli/values.hpp"
#include "cli/watching.hpp"
#include "cli/writing.hpp"
#include "comm/agree.hpp"
#include "learn/ridge_ranks.hpp"
#include "learn/train_with.hpp"

namespace mercer::cli {

namespace {

struct TrainCall : LearnerOptions {
  std::vector<std::string> more;  // further files of the same table
};

// What svm-train would do with these options.
void set_libsvm(const std::string& text, std::size_t columns, TrainOptions& train) {
  using Problem = SvmOptions::Problem;
  const LibsvmOptions o = parse_libsvm_options(text);
  if (o.folds) throw Error("--libsvm-options: -v is for choosing, not for training a model");
  const bool regression = o.type == LibsvmType::epsilon_svr || o.type == LibsvmType::nu_svr;
  const bool nu = o.type == LibsvmType::nu_svc || o.type == LibsvmType::nu_svr;
  const bool one = o.type == LibsvmType::one_class;
  if (!one) train.task = regression ? Model::Task::regression : Model::Task::classification;
  train.kernel = o.kernel(columns);
  train.C = o.cost;
  train.svm.C = o.cost;
  train.svm.nu = o.nu;
  train.svm.epsilon = o.epsilon;
  train.svm.problem = nu    ? Problem::nu_classification
                      : one ? Problem::one_class
                            : Problem::classification;
  train.svm.tolerance = o.tolerance;
  train.svm.shrinking = o.shrinking;
  train.svm.memory = static_cast<std::size_t>(o.cache * (1 << 20U));
  train.probability = o.probability;
  for (const auto& [label, weight] : o.weights)
    train.class_weights.emplace_back(std::to_string(label), weight);
}

std::vector<std::string> files_of(const TrainCall& options) {
  std::vector<std::string> files{options.table.path};
  files.insert(files.end(), options.more.begin(), options.more.end());
  return files;
}

LargeCall call_of(const TrainCall& options, const std::string& out) {
  if (!options.table.labels.empty())
    throw Error("--labels: data that are read in a stream have their labels with them");
  return {files_of(options), read_options(options.table), encoding_options(options),
          std::filesystem::path(out).parent_path().string()};
}

// On the training data itself, where that takes no time to speak of.
struct Fit {
  std::optional<double> accuracy;
  std::optional<double> rmse;
};

Fit fit_of(const Trained& trained, const Table& table, const PredictOptions& how) {
  const Model& model = trained.model;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (trained.said.empty() || trained.said[i] < 0) unknown.push_back(i);
  constexpr double most_values = 2e7;
  const double values = static_cast<double>(unknown.size()) *
                        static_cast<double>(model.map ? 1 : model.coefficients.rows);
  if (values > most_values) return {};
  const bool all = unknown.size() == table.rows();
  Prediction p = predict(model, all ? table.points : table.points.select(unknown), how);
  if (!all) {
    std::vector<std::int32_t> said = trained.said;
    for (std::size_t k = 0; k < unknown.size(); ++k) said[unknown[k]] = p.classes[k];
    p.classes = std::move(said);
  }
  Fit fit;
  if (model.task == Model::Task::classification) {
    ClassificationScore score(model.classes);
    score.add(classes_of(table.labels).codes, p.classes, {}, {}, table.weights);
    fit.accuracy = score.accuracy();
  } else {
    RegressionScore score;
    score.add(table.labels.numbers, p.scores.values, table.weights);
    fit.rmse = score.rmse();
  }
  return fit;
}

// What training leaves to be told.
struct Outcome {
  std::size_t rows = 0;
  std::size_t columns = 0;
  Encoding encoding;
  EncodingReport report;
  std::vector<std::string> chosen;
  std::vector<std::string> doubts;
  Trained trained;
  double seconds = 0;
  Fit fit;
  std::vector<std::size_t> peaks;  // of each rank, where the data are on disk
  bool saved = false;
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Outcome train_in_memory(const TrainCall& options, const std::string& out, TrainOptions& how,
                        const learn::SolveRidge& solve) {
  Outcome o;
  EncodedTable data = options.more.empty()
                          ? read_training(options.table.path, read_options(options.table),
                                          encoding_options(options))
                          : read_files(call_of(options, out));
  if (const auto note = scale_note(options, data.encoding); !note.empty()) o.chosen.push_back(note);
  add_labels(data.table, options.table);
  if (!options.libsvm.empty()) {
    set_libsvm(options.libsvm, data.table.columns(), how);
  } else {
    set_rule(options, data.table, how);
    how = in_columns_of(data.table, how);
  }
  // Whether it is a kernel at all is told in the end: to be found out meanwhile.
  std::future<std::vector<std::string>> doubts;
  if (how.kernel)
    doubts = std::async(std::launch::async, kernel_notes, *how.kernel, data.table.points);
  const Stopwatch watch;
  try {
    o.trained = solve ? learn::train_with(solve, data.table, data.encoding, how)
                      : train(data.table, data.encoding, how);
  } catch (const Error& error) {
    const auto notes = doubts.valid() ? doubts.get() : std::vector<std::string>();
    if (notes.empty()) throw;
    throw Error(std::string(error.what()) + "; " + notes.front());
  }
  o.seconds = watch.seconds();
  if (doubts.valid()) o.doubts = doubts.get();
  o.rows = data.table.rows();
  o.columns = data.table.columns();
  o.encoding = data.encoding;
  o.report = data.report;
  // Writing waits for the disk mostly: meanwhile there is something else to do.
  auto saving = std::async(std::launch::async, [&] { o.trained.model.save(out); });
  if (!o.trained.interrupted && how.svm.problem != SvmOptions::Problem::one_class)
    o.fit = fit_of(o.trained, data.table,
                   {how.gram.threads, options.computing.precision == "double",
                    options.computing.instructions, 0});
  saving.get();
  o.saved = true;
  return o;
}

std::optional<Outcome> train_on_disk(const TrainCall& options, const std::string& out,
                                     const comm::Comm& comm, TrainOptions& how) {
  Outcome o;
  const LargeCall call = call_of(options, out);
  const Stopwatch watch;
  auto result = train_on_disk(comm, call, how, [&](const data::StoreFacts& facts, const Points& x) {
    if (const auto note = scale_note(options, facts.encoding); !note.empty())
      o.chosen.push_back(note);
    set_rule(options, without_rows(facts), how);
    how = in_columns_of(without_rows(facts), how);
    if (how.kernel) o.doubts = kernel_notes(*how.kernel, x);
  });
  if (!result) return std::nullopt;
  o.seconds = watch.seconds();
  o.trained = std::move(result->trained);
  o.rows = result->facts.rows;
  o.columns = result->facts.columns;
  o.encoding = result->facts.encoding;
  o.report = result->facts.report;
  o.peaks = result->peaks;
  return o;
}

// Rows that do not fit into memory are learned from with centres, as long as the learner has that:
// what `mercer plan` would take. Told, kept in the model, and pinned by --approx or --memory.
void approximate_if_needed(const TrainCall& options, TrainOptions& how) {
  if (how.approx || !options.libsvm.empty() || !options.map.empty() || options.explicit_form ||
      !file_too_large(options.table.path, options.memory << 20U))
    return;
  if (how.learner == Learner::gradient_descent || how.ridge.leave_one_out) return;
  if (how.learner == Learner::svm &&
      (options.multiclass == "pairs" || how.svm.problem != SvmOptions::Problem::classification ||
       how.probability || how.checkpoint || how.svm.moves > 0 || how.svm.seconds > 0 ||
       options.epsilon))
    return;
  how.approx = Approximation{};
  how.approx->automatic = true;
  std::cerr << fmt::format(
      "mercer train: {} is too large for {} MiB (--memory): --approx 'nystrom(m={})' is chosen; "
      "say "
      "so to pin it, or allow more memory to learn exactly\n",
      options.table.path, options.memory, how.approx->size);
}

std::string memory_text(const std::vector<std::size_t>& peaks) {
  const std::size_t most = *std::ranges::max_element(peaks);
  if (peaks.size() == 1) return fmt::format("rows on disk; {} MiB at most", most);
  return fmt::format("rows on disk, over {} ranks; {} MiB each at most", peaks.size(), most);
}

ExitCode run_on(const TrainCall& options, const Ranks& ranks) {
  const std::string out = options.out.empty() ? default_model(options.table.path) : options.out;
  // All ranks have the same words; the first looks whether they are good.
  comm::told(ranks.comm(), [&] {
    auto inputs = files_of(options);
    inputs.push_back(options.table.labels);
    check_apart(inputs, {out, options.trace, options.checkpoint});
    check_new_file(out, options.force);
    if (!options.trace.empty()) check_new_file(options.trace, options.force);
    if (!options.checkpoint.empty()) check_new_file(options.checkpoint, true);
    const TrainOptions how = train_options(options, learner_of(options));
    if (ranks.several() && !how.approx &&
        (how.learner != Learner::ridge || !options.map.empty() || options.explicit_form))
      throw Error("several ranks of mpirun are for --approx, and for --learner ridge on a kernel");
    if ((ranks.several() && how.approx) || !options.more.empty()) call_of(options, out);
    return std::string();
  });
  TrainOptions how = train_options(options, learner_of(options));
  if (ranks.several()) {
    if (how.gram.threads == 0) how.gram.threads = Ranks::threads_each();
  } else {
    approximate_if_needed(options, how);
  }
  const bool on_disk = how.approx && (ranks.several() || !options.more.empty() ||
                                      file_too_large(options.table.path, options.memory << 20U));
  std::optional<learn::RidgeRanks> exact;
  learn::SolveRidge solve;
  if (ranks.several() && !how.approx) {
    exact.emplace(ranks.comm(), Ranks::dense_systems(), how.gram.threads);
    if (!ranks.first()) {
      exact->serve();
      return ExitCode::done;  // the first rank has it
    }
    solve = std::bind_front(&learn::RidgeRanks::solve, std::ref(*exact));
  }

  const StopOnInterrupt stop;
  std::optional<Watcher> watcher;
  if (ranks.first()) {
    watcher.emplace(options.trace);
    how.observe = std::ref(*watcher);
  }
  std::optional<Outcome> outcome;
  if (on_disk) {
    outcome = train_on_disk(options, out, ranks.comm(), how);
  } else {
    outcome = train_in_memory(options, out, how, solve);
  }
  if (!outcome) return ExitCode::done;  // the first rank has it
  watcher->done();
  Trained& trained = outcome->trained;
  auto& chosen = outcome->chosen;
  const double seconds = outcome->seconds;
  const Fit& fit = outcome->fit;
  chosen.insert(chosen.end(), trained.chosen.begin(), trained.chosen.end());
  if (!outcome->saved) trained.model.save(out);
  const bool keep = trained.unfinished && !options.checkpoint.empty();
  std::error_code none;  // where training was short, there is no file
  if (!options.checkpoint.empty() && !keep) std::filesystem::remove(options.checkpoint, none);

  auto notes = notes_of(outcome->report, outcome->encoding);
  notes.insert(notes.end(), outcome->doubts.begin(), outcome->doubts.end());
  const Model& m = trained.model;
  if (options.epsilon && m.task == Model::Task::classification)
    notes.emplace_back("--epsilon is for regression, and these are classes: it was not used");
  if (options.nu && options.C && m.task == Model::Task::classification)
    notes.emplace_back("--nu stands instead of a price: -C was not used");
  const std::string form = m.kernel ? "kernel" : m.map ? "map" : "features";
  const std::string rule = m.kernel ? m.kernel->text()
                           : m.map  ? m.map->text()
                                    : fmt::format("a sketch, {} features", m.sketch->size());
  // What the notes derive from the Lagrangian.
  std::optional<ThetaWords> theta;
  const std::string learner = parsed(m.training).value("learner", "");
  if (learner == "svm") theta = theta_words(m);
  if (options.json) {
    Json json{{"model", out},
              {form, rule},
              {"rows", outcome->rows},
              {"columns", outcome->columns},
              {"task", m.task == Model::Task::classification ? "classification" : "regression"},
              {"converged", trained.converged},
              {"interrupted", trained.interrupted},
              {"resumed", trained.resumed},
              {"seconds", seconds},
              {"chosen", chosen},
              {"training", parsed(m.training)}};
    if (m.task == Model::Task::classification) json["classes"] = m.classes;
    if (fit.accuracy) json["training_accuracy"] = *fit.accuracy;
    if (fit.rmse) json["training_rmse"] = *fit.rmse;
    if (theta) json["theta"] = theta->json;
    if (on_disk) {
      json["on_disk"] = true;
      json["peak_memory"] = outcome->peaks;
    }
    json["notes"] = notes;
    if (keep) json["checkpoint"] = options.checkpoint;
    print(json);
  } else {
    std::vector<std::pair<std::string, std::string>> rows{
        {"data", counted(outcome->rows, "row") + ", " + counted(outcome->columns, "column")}};
    if (on_disk) rows.emplace_back("memory", memory_text(outcome->peaks));
    for (const auto& c : chosen) rows.emplace_back("chosen", c);
    rows.emplace_back(form, rule);
    rows.insert(rows.end(), trained.report.begin(), trained.report.end());
    if (theta) rows.insert(rows.end(), theta->rows.begin(), theta->rows.end());
    if (!trained.message.empty()) rows.emplace_back("note", trained.message);
    if (fit.accuracy)
      rows.emplace_back("accuracy",
                        fmt::format("{:.2f} % on the training data itself", 100 * *fit.accuracy));
    if (fit.rmse)
      rows.emplace_back("error",
                        fmt::format("{:.6g} (RMSE) on the training data itself", *fit.rmse));
    rows.emplace_back("time", fmt::format("{:.3g} s", seconds));
    rows.emplace_back("model", out);
    if (keep)
      rows.emplace_back("checkpoint",
                        options.checkpoint + ": the same command with --force goes on");
    print(aligned(rows));
    print_notes(notes);
  }
  // The perceptron and gradient descent promise so many passes; the others a tolerance.
  const bool by_passes = learner == "perceptron" || learner == "gradient descent";
  if (!trained.interrupted)
    return trained.converged || by_passes ? ExitCode::done : ExitCode::undecided;
  std::cerr << "mercer train: interrupted; " << out << " holds the best so far\n";
  return interrupted;
}

ExitCode run_train(const TrainCall& options) {
  return on_ranks("train", [&](const Ranks& ranks) { return run_on(options, ranks); });
}

}  // namespace

void add_train(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<TrainCall>();
  Command* c = add_command(program, chosen, "train", "Learn a rule from data", options, run_train);
  add_learner_options(*c, *options);
  c->add_option("MORE", options->more,
                "further files of the same data, one after the other; of several ranks of mpirun, "
                "each reads its own");
  auto* checkpoint =
      c->add_option(
           "--checkpoint", options->checkpoint,
           "svm, --approx: keep there what is reached; where it is there, go on from it, and "
           "end with the very same model")
          ->type_name("FILE");
  c->add_option("--checkpoint-every", options->checkpoint_every,
                "seconds between two writings of it; 60 if absent")
      ->check(number_between(0, 1e9))
      ->type_name("S")
      ->needs(checkpoint);
  c->add_option("-o,--out", options->out, "the model; else the name of DATA with .mercer")
      ->check(not_empty())
      ->type_name("MODEL");
  c->add_flag("--force", options->force, "replace the file if it is there");
  c->add_option("--trace", options->trace, "write a JSON line per pass or iteration")
      ->type_name("FILE");
  c->footer(
      "Ctrl-C ends the training after the pass that is running and keeps the best so far.\n\n"
      "Examples:\n"
      "  mercer train iris.csv\n"
      "  mercer train moons.csv -k 'rbf(2)' --learner perceptron --passes 20 -o moons.mercer\n"
      "  mercer train houses.csv --task regression --lambda 0.1 --loo\n"
      "  mpirun -n 4 mercer train part0.npy part1.npy part2.npy part3.npy --approx "
      "'nystrom(2000)'\n"
      "  mercer train xor.csv --map '[x1, x2, x1*x2]' --learner gd --trace steps.jsonl");
}

}  // namespace mercer::cli
