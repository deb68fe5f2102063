#include "cli/learner_options.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mercer/error.hpp>

#include "cli/values.hpp"
#include "data/cell.hpp"

namespace mercer::cli {

namespace {

std::string scale_text(const Encoding& e) {
  const bool standard = e.options.scaling == Scaling::standard;
  const std::string name = standard ? "standard" : "minmax";
  if (e.sparse && e.columns.empty())
    return name + ", each column divided by its " + (standard ? "deviation" : "largest size") +
           ", so that zero stays zero" +
           (e.options.scale_sparse == ScaleSparse::if_uneven
                ? "; some are a hundred times smaller than others"
                : "");
  const std::string goal = standard ? "mean 0 and deviation 1" : "0 … 1";
  const bool categories =
      std::ranges::any_of(e.columns, [](const Encoding::Column& c) { return c.categorical; });
  return name + (categories ? ", numbers to " + goal + "; categories stay 0 and 1"
                            : ", each column to " + goal);
}

}  // namespace

EncodingOptions encoding_options(const LearnerOptions& options) {
  EncodingOptions how;
  how.missing = missing_named(options.table.missing);
  how.scaling = options.scale == "none" || !options.libsvm.empty() ? Scaling::none
                : options.scale == "minmax"                        ? Scaling::minmax
                                                                   : Scaling::standard;
  // A kernel, too, may have been said for points as they are.
  how.scale_sparse = !options.scale.empty()                          ? ScaleSparse::yes
                     : options.kernel.empty() && options.map.empty() ? ScaleSparse::if_uneven
                                                                     : ScaleSparse::no;
  return how;
}

std::string scale_note(const LearnerOptions& options, const Encoding& encoding) {
  const bool zeros_stay = encoding.sparse && encoding.columns.empty();
  if (encoding.options.scaling == Scaling::none || !(options.scale.empty() || zeros_stay))
    return {};
  return "scale: " + scale_text(encoding);
}

void set_rule(const LearnerOptions& options, const Table& table, TrainOptions& train) {
  const auto d = static_cast<std::uint32_t>(table.columns());
  if (!options.map.empty()) {
    train.map = FeatureMap::parse(options.map, d);
    return;
  }
  if (options.kernel.empty()) {
    if (options.explicit_form) throw Error("--explicit needs a kernel (-k) with a finite map");
    return;
  }
  const Kernel k = Kernel::parse(options.kernel, {.dimension = d});
  if (!k.open_parameters().empty())
    throw Error(k.text() +
                " has an open parameter: give it a value, or choose it from the data with `mercer "
                "tune`");
  if (!options.explicit_form) {
    train.kernel = k;
    return;
  }
  const Features f = features(in_columns_of(table, k), d, {.coordinates = 100'000});
  if (f.kind != Features::Kind::finite || !f.complete)
    throw Error(k.text() + " has no map of at most 100000 features: leave out --explicit");
  train.map = f.map;
}

std::string learner_of(const LearnerOptions& o) {
  struct Belongs {
    const char* option;
    bool given;
    const char* learner;
  };
  std::string used = o.learner.empty() && o.task == one_class ? "svm" : o.learner;
  const bool checkpoint = !o.checkpoint.empty() && o.approx.empty();  // which has them, too
  if (o.task == one_class && used != "svm")
    throw Error("--task one-class is for --learner svm, and this is " + used);
  for (const Belongs& b :
       std::initializer_list<Belongs>{{"--lambda", o.lambda.has_value(), "ridge"},
                                      {"--loo", o.leave_one_out, "ridge"},
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
                                      {"--tolerance", o.tolerance && o.approx.empty(), "svm"},
                                      {"--moves", o.moves.has_value(), "svm"},
                                      {"--time-limit", o.seconds != 0, "svm"},
                                      {"--checkpoint", checkpoint, "svm"},
                                      {"--probability", o.probability, "svm"},
                                      {"--libsvm-options", !o.libsvm.empty(), "svm"}}) {
    if (!b.given) continue;
    if (used.empty()) used = b.learner;
    if (used != b.learner)
      throw Error(std::string(b.option) + " is for --learner " + b.learner + ", and this is " +
                  used);
  }
  if (!o.approx.empty()) {
    if (used.empty()) used = "ridge";
    if (used == "gd")
      throw Error("--approx is for --learner ridge, svm or perceptron, and this is gd");
    if (o.multiclass == "pairs")
      throw Error(
          "--multiclass pairs is for exact machines: with --approx each class is told from "
          "the rest");
    if (o.tolerance && used == "perceptron")
      throw Error("--tolerance is for --learner ridge or svm, and this is perceptron");
  }
  if (o.hard_margin && o.C)
    throw Error("--hard-margin lets no example fall short, at whatever price: leave -C away");
  if (o.task == one_class && (o.C || o.epsilon || o.hard_margin || o.probability))
    throw Error(
        "--task one-class has --nu, and none of -C, --epsilon, --hard-margin, --probability");
  if (o.averaged && o.budget != 0)
    throw Error(
        "--averaged keeps every point that ever counted, whatever --budget: leave one of them out");
  if (o.passes && used != "perceptron" && used != "gd")
    throw Error("--passes is for --learner perceptron or gd" +
                (used.empty() ? ": say which" : ", and this is " + used));
  return used;
}

TrainOptions train_options(const LearnerOptions& options, const std::string& learner) {
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
  if (options.tolerance) train.svm.tolerance = train.tolerance = *options.tolerance;
  if (options.moves) train.svm.moves = *options.moves;
  train.svm.memory = options.memory << 20U;
  train.svm.seconds = options.seconds;
  train.probability = options.probability;
  if (!options.checkpoint.empty()) {
    train.checkpoint = TrainOptions::Checkpoint{.path = options.checkpoint};
    if (options.checkpoint_every) train.checkpoint->seconds = *options.checkpoint_every;
  }
  train.gram = gram_options(options.computing);
  train.gram.memory = std::min(train.gram.memory, options.memory << 20U);
  return train;
}

std::string default_model(const std::string& data) {
  std::filesystem::path name = std::filesystem::path(data).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string() + ".mercer";
}

void add_learner_options(Command& command, LearnerOptions& options) {
  add_table_options(command, options.table);
  auto* kernel = command
                     .add_option("-k,--kernel", options.kernel,
                                 "the kernel; else rbf with a width from the data")
                     ->check(not_empty())
                     ->type_name("EXPR");
  command
      .add_option("--map", options.map,
                  "learn in these features instead: \"[x1, x2, x1*x2]\"; the model keeps w, not α")
      ->type_name("MAP")
      ->excludes(kernel);
  command.add_flag("--explicit", options.explicit_form,
                   "learn in the finite feature map of the kernel");
  command
      .add_option(
          "--learner", options.learner,
          "perceptron; gd, gradient descent on the squared loss; ridge, the same solved (for "
          "regression if absent); svm, support vectors (for classes if absent)")
      ->check(one_of({"perceptron", "gd", "ridge", "svm"}))
      ->type_name("WHICH");
  command
      .add_option(
          "--task", options.task,
          "classification or regression; else by the labels: names, and whole numbers with "
          "at most 50 values, two or each of them twice in the mean, are classes. one-class: 1 "
          "for what is like the data, -1 for "
          "what is not, and --nu is about the share of the data outside; labels are ignored")
      ->check(one_of({"classification", "regression", one_class}))
      ->type_name("WHICH");
  command
      .add_option("--scale", options.scale,
                  "of numbers, standard: mean 0, deviation 1; minmax: to [0, 1]; none; if absent, "
                  "standard; of LIBSVM, where zero stays zero, none, unless no kernel was said "
                  "and columns are of very different sizes")
      ->check(one_of({"standard", "minmax", "none"}))
      ->type_name("HOW");
  command
      .add_option("-C", options.C,
                  "svm: the price of falling short of the margin; else by cross-validation")
      ->type_name("C");
  auto* nu = command
                 .add_option("--nu", options.nu,
                             "svm: instead, about the share of such points, and of support vectors")
                 ->type_name("NU");
  command
      .add_option("--epsilon", options.epsilon,
                  "svm, regression: errors up to this are free; 0.1 if absent")
      ->type_name("E");
  command.add_flag("--hard-margin", options.hard_margin, "svm: no point may fall short")
      ->excludes(nu);
  command
      .add_option("--multiclass", options.multiclass,
                  "svm: pairs, a machine for each two classes (if absent); rest, for each class")
      ->check(one_of({"pairs", "rest"}))
      ->type_name("HOW");
  command
      .add_option("--tolerance", options.tolerance,
                  "svm: optimality may be violated by this much, with --approx the gap be so "
                  "large; 0.001 if absent. ridge with --approx: what may be left of the right-hand "
                  "side; 0.0001 if absent")
      ->type_name("T");
  command.add_option("--moves", options.moves, "svm: of two variables, at most; else any number")
      ->check(whole_number(1))
      ->type_name("N");
  command
      .add_option("--time-limit", options.seconds,
                  "svm: seconds for all of the training, about; 0: as many as it takes")
      ->check(number_between(0, 1e9))
      ->type_name("S");
  command.add_flag("--probability", options.probability,
                   "svm: probabilities of the classes, by examples held out of the training");
  auto* libsvm =
      command
          .add_option(
              "--libsvm-options", options.libsvm,
              "svm: as svm-train takes them, \"-s 0 -t 2 -c 10 -g 0.5\", and nothing is scaled")
          ->type_name("FLAGS")
          ->excludes(kernel);
  command
      .add_option("--lambda", options.lambda,
                  "ridge: the price of |w|²; else by leave-one-out errors")
      ->type_name("L");
  command.add_flag("--loo", options.leave_one_out, "ridge: tell the leave-one-out error");
  command
      .add_option("--approx", options.approx,
                  "ridge, svm, perceptron: for large data, a rule on some centres: "
                  "\"nystrom(m=2000)\"; also centres=uniform, leverage, kmeans, or a FILE of them; "
                  "\"fourier(D=2000)\" and \"orthogonal(D=2000)\": in random features of a "
                  "stationary kernel; \"sketch(D=2000)\": of a polynomial one")
      ->type_name("HOW");
  command
      .add_option("--loss", options.loss,
                  "ridge with --approx: squared (if absent), or logistic, for classes with "
                  "probabilities")
      ->check(one_of({"squared", "logistic"}))
      ->type_name("WHICH");
  command.add_option("--passes", options.passes, "perceptron, gd: over the data, at most")
      ->check(whole_number(1))
      ->type_name("T");
  command
      .add_option("--order", options.order,
                  "perceptron: cyclic (if absent), or shuffled anew in each pass")
      ->check(one_of({"cyclic", "shuffled"}))
      ->type_name("HOW");
  command.add_option("--margin", options.margin, "perceptron: y f(x) up to this is a mistake, too")
      ->type_name("M");
  command.add_flag("--averaged", options.averaged, "perceptron: the mean of all w, not the last");
  command.add_option("--budget", options.budget, "perceptron: support points at most")
      ->check(whole_number(1))
      ->type_name("N");
  command.add_option("--step", options.step, "gd: the step; else from the largest eigenvalue of K")
      ->type_name("S");
  command.add_option("--momentum", options.momentum, "gd: so much of the last step again, below 1")
      ->type_name("M");
  command.add_option("--batch", options.batch, "gd: examples per step; else all")
      ->check(whole_number(1))
      ->type_name("N");
  command
      .add_option("--eigenvectors", options.eigenvectors,
                  "gd: so many for the preconditioner (EigenPro)")
      ->check(whole_number(0))
      ->type_name("Q");
  command
      .add_option("--hold-out", options.held_out, "gd: this share of the rows decides when to stop")
      ->type_name("SHARE");
  auto* offset =
      command.add_flag("--offset", options.offset,
                       "add the constant kernel 1 (the feature 1); regression does it unasked");
  command.add_flag("--no-offset", options.no_offset, "do not")->excludes(offset);
  command
      .add_option("--class-weight", options.class_weights,
                  "CLASS=NUMBER, several with commas, or balanced: mistakes there count so much")
      ->delimiter(',')
      ->type_name("WEIGHTS");
  command.add_option("--seed", options.seed, "of everything random")
      ->check(whole_number(0))
      ->type_name("S")
      ->capture_default_str();
  for (const char* other : {"--map", "--explicit", "-C", "--nu", "--epsilon", "--hard-margin",
                            "--tolerance", "--probability", "--class-weight", "--task", "--scale"})
    libsvm->excludes(other);
  add_computing_options(command, options.computing);
  command
      .add_option(
          "--memory", options.memory,
          "for what is kept, in MiB, or 500M, 4G; with --approx, data that would take more are "
          "read in a stream and stay on disk")
      ->transform(mebibytes())
      ->type_name("SIZE")
      ->capture_default_str();
}

}  // namespace mercer::cli
