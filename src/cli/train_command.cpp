// mercer train DATA: a model from data.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <mercer/metrics.hpp>
#include <mercer/table_stream.hpp>
#include <mercer/train.hpp>

#include "cli/command.hpp"
#include "cli/computing.hpp"
#include "cli/kernel_notes.hpp"
#include "cli/large_training.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/ranks.hpp"
#include "cli/table_options.hpp"
#include "cli/theta_words.hpp"
#include "cli/values.hpp"
#include "cli/watching.hpp"
#include "cli/writing.hpp"
#include "data/cell.hpp"
#include "scale/message.hpp"

namespace mercer::cli {

namespace {

constexpr const char* one_class = "one-class";

struct Options {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order of the help
  TableOptions table;
  std::string kernel;
  std::string map;
  bool explicit_form = false;
  std::string learner;
  std::string task;
  std::string scale;
  std::optional<double> lambda;
  std::optional<std::size_t> passes;
  std::uint64_t seed = 0;
  std::string out;
  bool force = false;
  std::string trace;
  bool offset = false;
  bool no_offset = false;
  std::vector<std::string> class_weights;
  // perceptron
  std::string order;
  double margin = 0;
  bool averaged = false;
  std::size_t budget = 0;
  // gradient descent
  std::optional<double> step;
  double momentum = 0;
  std::size_t batch = 0;
  std::size_t eigenvectors = 0;
  double held_out = 0;
  // ridge
  bool leave_one_out = false;
  std::string approx;
  std::string loss;
  // support vectors
  std::optional<double> C;
  std::optional<double> nu;
  std::optional<double> epsilon;
  bool hard_margin = false;
  std::string multiclass;
  std::optional<double> tolerance;
  std::optional<std::size_t> moves;
  double seconds = 0;
  std::string checkpoint;
  std::optional<double> checkpoint_every;
  bool probability = false;
  std::string libsvm;
  Computing computing;
  std::size_t memory = 1792;
  bool json = false;
};

std::string scale_text(const Encoding& e) {
  const bool standard = e.options.scaling == Scaling::standard;
  const std::string name = standard ? "standard" : "minmax";
  if (e.sparse && e.columns.empty())
    return name + ", each column divided by its " + (standard ? "deviation" : "largest size") +
           ", so that zero stays zero";
  const std::string goal = standard ? "mean 0 and deviation 1" : "0 … 1";
  const bool categories =
      std::ranges::any_of(e.columns, [](const Encoding::Column& c) { return c.categorical; });
  return name + (categories ? ", numbers to " + goal + "; categories stay 0 and 1"
                            : ", each column to " + goal);
}

EncodingOptions encoding_options(const Options& options) {
  EncodingOptions how;
  how.missing = missing_named(options.table.missing);
  how.scaling = options.scale == "none" || !options.libsvm.empty() ? Scaling::none
                : options.scale == "minmax"                        ? Scaling::minmax
                                                                   : Scaling::standard;
  how.scale_sparse = !options.scale.empty();
  return how;
}

void say_scale(const Options& options, const Encoding& e, std::vector<std::string>& chosen) {
  const bool zeros_stay = e.sparse && e.columns.empty();
  if (e.options.scaling != Scaling::none && (options.scale.empty() || zeros_stay))
    chosen.push_back("scale: " + scale_text(e));
}

void set_rule(const Options& options, const Table& table, TrainOptions& train) {
  const auto d = static_cast<std::uint32_t>(table.columns());
  if (!options.map.empty()) {
    FeatureMap map = FeatureMap::parse(options.map, d);
    for (auto& c : map.coordinates) c = in_columns_of(table, c);
    train.map = map;
    return;
  }
  if (options.kernel.empty()) {
    if (options.explicit_form) throw Error("--explicit needs a kernel (-k) with a finite map");
    return;
  }
  const Kernel k = in_columns_of(table, Kernel::parse(options.kernel, {.dimension = d}));
  if (!k.open_parameters().empty())
    throw Error(k.text() + " has an open parameter: give it a value");
  if (!options.explicit_form) {
    train.kernel = k;
    return;
  }
  const Features f = features(k, d, {.coordinates = 100'000});
  if (f.kind != Features::Kind::finite || !f.complete)
    throw Error(k.text() + " has no map of at most 100000 features: leave out --explicit");
  train.map = f.map;
}

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

// The learner that is asked for, by name or by an option that only it has; empty: none. An option
// of another one would do nothing.
std::string learner_of(const Options& o) {
  struct Belongs {
    const char* option;
    bool given;
    const char* learner;
  };
  std::string used = o.learner.empty() && o.task == one_class ? "svm" : o.learner;
  if (o.task == one_class && used != "svm")
    throw Error("--task one-class is for --learner svm, and this is " + used);
  for (const Belongs& b :
       std::initializer_list<Belongs>{{"--lambda", o.lambda.has_value(), "ridge"},
                                      {"--loo", o.leave_one_out, "ridge"},
                                      {"--approx", !o.approx.empty(), "ridge"},
                                      {"--loss", !o.loss.empty(), "ridge"},
                                      {"--order", !o.order.empty(), "perceptron"},
                                      {"--margin", o.margin != 0, "perceptron"},
                                      {"--averaged", o.averaged, "perceptron"},
                                      {"--budget", o.budget != 0, "perceptron"},
                                      {"--step", o.step.has_value(), "gd"},
                                      {"--momentum", o.momentum != 0, "gd"},
                                      {"--batch", o.batch != 0, "gd"},
                                      {"--eigenvectors", o.eigenvectors != 0, "gd"},
                                      {"--hold-out", o.held_out != 0, "gd"},
                                      {"-C", o.C.has_value(), "svm"},
                                      {"--nu", o.nu.has_value(), "svm"},
                                      {"--epsilon", o.epsilon.has_value(), "svm"},
                                      {"--hard-margin", o.hard_margin, "svm"},
                                      {"--multiclass", !o.multiclass.empty(), "svm"},
                                      {"--tolerance", o.tolerance.has_value(), "svm"},
                                      {"--moves", o.moves.has_value(), "svm"},
                                      {"--time-limit", o.seconds != 0, "svm"},
                                      {"--checkpoint", !o.checkpoint.empty(), "svm"},
                                      {"--probability", o.probability, "svm"},
                                      {"--libsvm-options", !o.libsvm.empty(), "svm"}}) {
    if (!b.given) continue;
    if (used.empty()) used = b.learner;
    if (used != b.learner)
      throw Error(std::string(b.option) + " is for --learner " + b.learner + ", and this is " +
                  used);
  }
  if (o.task == one_class && (o.C || o.epsilon || o.hard_margin || o.probability))
    throw Error(
        "--task one-class has --nu, and none of -C, --epsilon, --hard-margin, --probability");
  if (o.passes && used != "perceptron" && used != "gd")
    throw Error("--passes is for --learner perceptron or gd" +
                (used.empty() ? ": say which" : ", and this is " + used));
  return used;
}

TrainOptions train_options(const Options& options, const std::string& learner) {
  TrainOptions train;
  static const std::map<std::string, Learner> learners{{"perceptron", Learner::perceptron},
                                                       {"gd", Learner::gradient_descent},
                                                       {"ridge", Learner::ridge},
                                                       {"svm", Learner::svm}};
  if (!learner.empty()) train.learner = learners.at(learner);
  if (options.task == one_class) {
    constexpr double usual = 0.1;
    train.svm.problem = SvmOptions::Problem::one_class;
    train.svm.nu = options.nu.value_or(usual);
  } else if (!options.task.empty()) {
    train.task =
        options.task == "regression" ? Model::Task::regression : Model::Task::classification;
  }
  train.lambda = options.lambda;
  train.seed = options.seed;
  if (options.offset) train.offset = true;
  if (options.no_offset) train.offset = false;
  for (const auto& item : options.class_weights) {
    if (item == "balanced") {
      train.balanced = true;
      continue;
    }
    const auto at = item.rfind('=');
    const auto weight =
        at == std::string::npos ? std::nullopt : data::number_in(item.substr(at + 1));
    if (!weight) throw Error("--class-weight " + item + ": write CLASS=NUMBER, or balanced");
    const std::string name = item.substr(0, at);
    if (std::ranges::find(train.class_weights, name, [](const auto& w) { return w.first; }) !=
        train.class_weights.end())
      throw Error("--class-weight gives class " + name + " two weights");
    train.class_weights.emplace_back(name, *weight);
  }
  if (options.passes) {
    train.perceptron.passes = *options.passes;
    train.gradient_descent.passes = *options.passes;
  }
  if (options.order == "shuffled") train.perceptron.order = PerceptronOptions::Order::shuffled;
  train.perceptron.margin = options.margin;
  train.perceptron.averaged = options.averaged;
  train.perceptron.budget = options.budget;
  train.gradient_descent.step = options.step;
  train.gradient_descent.momentum = options.momentum;
  train.gradient_descent.batch = options.batch;
  train.gradient_descent.eigenvectors = options.eigenvectors;
  train.gradient_descent.held_out = options.held_out;
  train.ridge.leave_one_out = options.leave_one_out;
  train.ridge.memory = options.memory << 20U;
  if (!options.approx.empty()) train.approx = Approximation::parse(options.approx);
  if (options.loss == "logistic") train.loss = NystromOptions::Loss::logistic;
  train.C = options.C;
  if (options.nu) train.svm.nu = *options.nu;
  if (options.epsilon) train.svm.epsilon = *options.epsilon;
  if (options.nu && options.task != one_class)
    train.svm.problem = SvmOptions::Problem::nu_classification;
  if (options.hard_margin) train.svm.problem = SvmOptions::Problem::hard_margin;
  if (options.multiclass == "rest") train.multiclass = TrainOptions::Multiclass::rest;
  if (options.tolerance) train.svm.tolerance = *options.tolerance;
  if (options.moves) train.svm.moves = *options.moves;
  train.svm.memory = options.memory << 20U;
  train.svm.seconds = options.seconds;
  train.probability = options.probability;
  if (!options.checkpoint.empty()) {
    train.checkpoint = {options.checkpoint, {}};
    if (options.checkpoint_every) train.checkpoint->seconds = *options.checkpoint_every;
  }
  train.gram = gram_options(options.computing);
  train.gram.memory = std::min(train.gram.memory, options.memory << 20U);
  return train;
}

// Centres from a file, in the columns of the training data; labels in it are passed over.
void read_centres(const Encoding& encoding, Approximation& approx) {
  TableStream in(approx.file, encoding, {}, TableStream::Labels::ignored);
  std::vector<Points> parts;
  while (const auto batch = in.next(rows_at_once)) parts.push_back(batch->points);
  if (parts.empty()) throw Error(approx.file + ": there is no centre in it");
  approx.given = scale::joined(parts);
}

// On the training data itself, where that takes no time to speak of.
struct Fit {
  std::optional<double> accuracy;
  std::optional<double> rmse;
};

Fit fit_of(const Model& model, const Table& table, const PredictOptions& how) {
  constexpr double most_values = 2e7;
  const double values =
      static_cast<double>(table.rows()) * static_cast<double>(model.map ? 1 : model.support.rows());
  if (values > most_values) return {};
  const Prediction p = predict(model, table.points, how);
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

std::string default_path(const std::string& data) {
  std::filesystem::path name = std::filesystem::path(data).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string() + ".mercer";
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
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Outcome train_in_memory(const Options& options, TrainOptions& how) {
  Outcome o;
  EncodedTable data =
      read_training(options.table.path, read_options(options.table), encoding_options(options));
  say_scale(options, data.encoding, o.chosen);
  add_labels(data.table, options.table);
  if (!options.libsvm.empty()) {
    set_libsvm(options.libsvm, data.table.columns(), how);
  } else {
    set_rule(options, data.table, how);
  }
  if (how.approx && !how.approx->file.empty()) read_centres(data.encoding, *how.approx);
  if (how.kernel) o.doubts = kernel_notes(*how.kernel, data.table.points);
  const Stopwatch watch;
  try {
    o.trained = train(data.table, data.encoding, how);
  } catch (const Error& error) {
    if (o.doubts.empty()) throw;
    throw Error(std::string(error.what()) + "; " + o.doubts.front());
  }
  o.seconds = watch.seconds();
  o.rows = data.table.rows();
  o.columns = data.table.columns();
  o.encoding = data.encoding;
  o.report = data.report;
  if (!o.trained.interrupted && how.svm.problem != SvmOptions::Problem::one_class)
    o.fit = fit_of(o.trained.model, data.table,
                   {options.computing.threads, options.computing.precision == "double",
                    options.computing.instructions, 0});
  return o;
}

std::optional<Outcome> train_on_disk(const Options& options, const std::string& out,
                                     const comm::Comm& comm, TrainOptions& how) {
  Outcome o;
  if (!options.table.labels.empty())
    throw Error("--labels: data that are read in a stream have their labels with them");
  const LargeCall call{options.table.path, read_options(options.table), encoding_options(options),
                       std::filesystem::path(out).parent_path().string()};
  const Stopwatch watch;
  auto result = train_on_disk(comm, call, how, [&](const data::StoreFacts& facts, const Points& x) {
    say_scale(options, facts.encoding, o.chosen);
    set_rule(options, without_rows(facts), how);
    if (!how.approx->file.empty()) read_centres(facts.encoding, *how.approx);
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

// Whether points and what is computed from them would not fit: as numbers, a file takes about its
// own size, a packed one some times that.
bool too_large(const std::string& path, std::size_t memory) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown) return false;
  return static_cast<double>(size) * (path.ends_with(".gz") ? 5 : 1) >
         static_cast<double>(memory) / 2;
}

std::string memory_text(const std::vector<std::size_t>& peaks) {
  const std::size_t most = *std::ranges::max_element(peaks);
  if (peaks.size() == 1) return fmt::format("rows on disk; {} MiB at most", most);
  return fmt::format("rows on disk, over {} ranks; {} MiB each at most", peaks.size(), most);
}

ExitCode run(const Options& options) {
  const std::string out = options.out.empty() ? default_path(options.table.path) : options.out;
  const Ranks ranks;
  const auto check = [&] {
    check_apart({options.table.path, options.table.labels},
                {out, options.trace, options.checkpoint});
    check_new_file(out, options.force);
    if (!options.trace.empty()) check_new_file(options.trace, options.force);
    if (!options.checkpoint.empty()) check_new_file(options.checkpoint, true);
  };
  TrainOptions how;
  if (!ranks.several()) {
    check();
    how = train_options(options, learner_of(options));
  } else {
    // All ranks have the same words; the first speaks for them.
    std::string good = "yes";
    if (ranks.first()) {
      try {
        check();
        how = train_options(options, learner_of(options));
        if (!how.approx) throw Error("several ranks of mpirun are for --approx");
      } catch (...) {
        good.clear();
        comm::broadcast(ranks.comm(), good);
        throw;
      }
    }
    comm::broadcast(ranks.comm(), good);
    if (good.empty()) return ExitCode::done;
    if (!ranks.first()) how = train_options(options, learner_of(options));
    if (how.gram.threads == 0) how.gram.threads = Ranks::threads_each();
  }
  const bool on_disk =
      ranks.several() || (how.approx && too_large(options.table.path, options.memory << 20U));

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
    outcome = train_in_memory(options, how);
  }
  if (!outcome) return ExitCode::done;  // the first rank has it
  watcher->done();
  Trained& trained = outcome->trained;
  auto& chosen = outcome->chosen;
  const double seconds = outcome->seconds;
  const Fit& fit = outcome->fit;
  chosen.insert(chosen.end(), trained.chosen.begin(), trained.chosen.end());
  trained.model.save(out);
  const bool keep = trained.unfinished && !options.checkpoint.empty();
  std::error_code none;  // where training was short, there is no file
  if (!options.checkpoint.empty() && !keep) std::filesystem::remove(options.checkpoint, none);

  auto notes = notes_of(outcome->report, outcome->encoding);
  notes.insert(notes.end(), outcome->doubts.begin(), outcome->doubts.end());
  const Model& m = trained.model;
  const std::string rule = m.kernel ? m.kernel->text() : m.map->text();
  // What the notes derive from the Lagrangian.
  std::optional<ThetaWords> theta;
  if (Json::parse(m.training).value("learner", "") == "svm") theta = theta_words(m);
  if (options.json) {
    Json json{{"model", out},
              {m.kernel ? "kernel" : "map", rule},
              {"rows", outcome->rows},
              {"columns", outcome->columns},
              {"task", m.task == Model::Task::classification ? "classification" : "regression"},
              {"converged", trained.converged},
              {"interrupted", trained.interrupted},
              {"resumed", trained.resumed},
              {"seconds", seconds},
              {"chosen", chosen},
              {"training", Json::parse(m.training)}};
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
        {"data", fmt::format("{} rows, {} columns", outcome->rows, outcome->columns)}};
    if (on_disk) rows.emplace_back("memory", memory_text(outcome->peaks));
    for (const auto& c : chosen) rows.emplace_back("chosen", c);
    rows.emplace_back(m.kernel ? "kernel" : "map", rule);
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
  if (!trained.interrupted) return ExitCode::done;
  std::cerr << "mercer train: interrupted; " << out << " holds the best so far\n";
  return interrupted;
}

}  // namespace

void add_train(CLI::App& program, Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  CLI::App* c = add_command(program, chosen, "train", "Learn a rule from data", options, run);
  add_table_options(*c, options->table);
  auto* kernel = c->add_option("-k,--kernel", options->kernel,
                               "the kernel; else rbf with a width from the data")
                     ->type_name("EXPR");
  c->add_option("--map", options->map,
                "learn in these features instead: \"[x1, x2, x1*x2]\"; the model keeps w, not α")
      ->type_name("MAP")
      ->excludes(kernel);
  c->add_flag("--explicit", options->explicit_form,
              "learn in the finite feature map of the kernel");
  c->add_option("--learner", options->learner,
                "perceptron; gd, gradient descent on the squared loss; ridge, the same solved (for "
                "regression if absent); svm, support vectors (for classes if absent)")
      ->check(one_of({"perceptron", "gd", "ridge", "svm"}))
      ->type_name("WHICH");
  c->add_option("--task", options->task,
                "classification or regression; else by the labels: names, and whole numbers with "
                "at most 50 values, are classes. one-class: 1 for what is like the data, -1 for "
                "what is not, and --nu is about the share of the data outside; labels are ignored")
      ->check(one_of({"classification", "regression", one_class}))
      ->type_name("WHICH");
  c->add_option("--scale", options->scale,
                "of numbers, standard: mean 0, deviation 1; minmax: to [0, 1]; none; if absent, "
                "standard, of LIBSVM none; in LIBSVM zero stays zero")
      ->check(one_of({"standard", "minmax", "none"}))
      ->type_name("HOW");
  c->add_option("-C", options->C,
                "svm: the price of falling short of the margin; else by cross-validation")
      ->type_name("C");
  auto* nu = c->add_option("--nu", options->nu,
                           "svm: instead, about the share of such points, and of support vectors")
                 ->type_name("NU");
  c->add_option("--epsilon", options->epsilon,
                "svm, regression: errors up to this are free; 0.1 if absent")
      ->type_name("E");
  c->add_flag("--hard-margin", options->hard_margin, "svm: no point may fall short")->excludes(nu);
  c->add_option("--multiclass", options->multiclass,
                "svm: pairs, a machine for each two classes (if absent); rest, for each class")
      ->check(one_of({"pairs", "rest"}))
      ->type_name("HOW");
  c->add_option("--tolerance", options->tolerance,
                "svm: optimality may be violated by this much; 0.001 if absent")
      ->type_name("T");
  c->add_option("--moves", options->moves, "svm: of two variables, at most; else any number")
      ->check(whole_number(1))
      ->type_name("N");
  c->add_option("--time-limit", options->seconds, "svm: seconds for all of the training, about")
      ->check(number_between(0, 1e9))
      ->type_name("S");
  auto* checkpoint =
      c->add_option("--checkpoint", options->checkpoint,
                    "svm: keep there what is reached; where it is there, go on from it, and end "
                    "with the very same model")
          ->type_name("FILE");
  c->add_option("--checkpoint-every", options->checkpoint_every,
                "svm: seconds between two writings of it; 60 if absent")
      ->check(number_between(0, 1e9))
      ->type_name("S")
      ->needs(checkpoint);
  c->add_flag("--probability", options->probability,
              "svm: probabilities of the classes, by examples held out of the training");
  auto* libsvm =
      c->add_option(
           "--libsvm-options", options->libsvm,
           "svm: as svm-train takes them, \"-s 0 -t 2 -c 10 -g 0.5\", and nothing is scaled")
          ->type_name("FLAGS")
          ->excludes(kernel);
  c->add_option("--lambda", options->lambda,
                "ridge: the price of |w|²; else by leave-one-out errors")
      ->type_name("L");
  c->add_flag("--loo", options->leave_one_out, "ridge: tell the leave-one-out error");
  c->add_option("--approx", options->approx,
                "ridge: for large data, a rule on some centres: \"nystrom(m=2000)\"; also "
                "centres=uniform, leverage, kmeans, or a FILE of them; \"fourier(D=2000)\" and "
                "\"orthogonal(D=2000)\": in random features of a stationary kernel")
      ->type_name("HOW");
  c->add_option("--loss", options->loss,
                "ridge with --approx: squared (if absent), or logistic, for classes with "
                "probabilities")
      ->check(one_of({"squared", "logistic"}))
      ->type_name("WHICH");
  c->add_option("--passes", options->passes, "perceptron, gd: over the data, at most")
      ->check(whole_number(1))
      ->type_name("T");
  c->add_option("--order", options->order,
                "perceptron: cyclic (if absent), or shuffled anew in each pass")
      ->check(one_of({"cyclic", "shuffled"}))
      ->type_name("HOW");
  c->add_option("--margin", options->margin, "perceptron: y f(x) up to this is a mistake, too")
      ->type_name("M");
  c->add_flag("--averaged", options->averaged, "perceptron: the mean of all w, not the last");
  c->add_option("--budget", options->budget, "perceptron: support points at most")
      ->check(whole_number(1))
      ->type_name("N");
  c->add_option("--step", options->step, "gd: the step; else from the largest eigenvalue of K")
      ->type_name("S");
  c->add_option("--momentum", options->momentum, "gd: so much of the last step again, below 1")
      ->type_name("M");
  c->add_option("--batch", options->batch, "gd: examples per step; else all")
      ->check(whole_number(1))
      ->type_name("N");
  c->add_option("--eigenvectors", options->eigenvectors,
                "gd: so many for the preconditioner (EigenPro)")
      ->check(whole_number(0))
      ->type_name("Q");
  c->add_option("--hold-out", options->held_out, "gd: this share of the rows decides when to stop")
      ->type_name("SHARE");
  auto* offset =
      c->add_flag("--offset", options->offset,
                  "add the constant kernel 1 (the feature 1); regression does it unasked");
  c->add_flag("--no-offset", options->no_offset, "do not")->excludes(offset);
  c->add_option("--class-weight", options->class_weights,
                "CLASS=NUMBER, several with commas, or balanced: mistakes there count so much")
      ->delimiter(',')
      ->type_name("WEIGHTS");
  c->add_option("--seed", options->seed, "of everything random")
      ->check(whole_number(0))
      ->type_name("S")
      ->capture_default_str();
  c->add_option("-o,--out", options->out, "the model; else the name of DATA with .mercer")
      ->type_name("MODEL");
  c->add_flag("--force", options->force, "replace the file if it is there");
  c->add_option("--trace", options->trace, "write a JSON line per pass or iteration")
      ->type_name("FILE");
  for (const char* other : {"--map", "--explicit", "-C", "--nu", "--epsilon", "--hard-margin",
                            "--tolerance", "--probability", "--class-weight", "--task", "--scale"})
    libsvm->excludes(other);
  add_computing_options(*c, options->computing);
  c->add_option(
       "--memory", options->memory,
       "for what is kept, in MiB, or 500M, 4G; with --approx, data that would take more are "
       "read in a stream and stay on disk")
      ->transform(mebibytes())
      ->check(whole_number(1, std::uint64_t{1} << 30U))
      ->type_name("SIZE")
      ->capture_default_str();
  c->footer(
      "Ctrl-C ends the training after the pass that is running and keeps the best so far.\n\n"
      "Examples:\n"
      "  mercer train iris.csv\n"
      "  mercer train moons.csv -k 'rbf(2)' --learner perceptron --passes 20 -o moons.mercer\n"
      "  mercer train houses.csv --task regression --lambda 0.1 --loo\n"
      "  mercer train xor.csv --map '[x1, x2, x1*x2]' --learner gd --trace steps.jsonl");
}

}  // namespace mercer::cli
