#include "learn/train_large.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/nystrom.hpp>
#include <mercer/random_features.hpp>
#include <mercer/sketch.hpp>
#include <mercer/table_stream.hpp>
#include <mercer/version.hpp>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "learn/fingerprint.hpp"
#include "learn/large_perceptron.hpp"
#include "learn/perceptron_report.hpp"
#include "learn/task.hpp"
#include "scale/centres.hpp"
#include "scale/message.hpp"
#include "scale/solve.hpp"

namespace mercer::learn {

namespace {

using Json = nlohmann::ordered_json;
using Kind = Approximation::Kind;
using Loss = NystromOptions::Loss;

const char* name_of(NystromOptions::Choice choice) {
  switch (choice) {
    case NystromOptions::Choice::leverage:
      return "leverage";
    case NystromOptions::Choice::kmeans:
      return "kmeans";
    case NystromOptions::Choice::given:
      return "given";
    default:
      return "uniform";
  }
}

// The journal of a training in its checkpoint: a record for each pass.
class Passes final : public scale::Journal {
 public:
  explicit Passes(Checkpoint& checkpoint) : checkpoint_(checkpoint) {}

  std::optional<std::vector<double>> find(std::size_t pass, std::uint64_t question,
                                          std::size_t count) override {
    const auto record = checkpoint_.find(key_of(pass));
    if (!record) return std::nullopt;
    const auto asked = record->whole.find("question");
    const auto answer = record->numbers.find("answer");
    if (asked == record->whole.end() || answer == record->numbers.end() ||
        asked->second != std::vector<std::uint64_t>{question} || answer->second.size() != count)
      throw Error(checkpoint_.path() +
                  ": the checkpoint does not fit this training; remove it to begin anew");
    return answer->second;
  }

  void keep(std::size_t pass, std::uint64_t question, const std::vector<double>& answer) override {
    model::Record record;
    record.whole["question"] = {question};
    record.numbers["answer"] = answer;
    checkpoint_.put(key_of(pass), std::move(record));
  }

 private:
  static std::string key_of(std::size_t pass) { return fmt::format("pass {:06}", pass); }

  Checkpoint& checkpoint_;
};

struct Task {
  bool regression = false;
  std::size_t columns = 1;
  std::vector<double> class_weights;
};

class LargeTrainer {
 public:
  LargeTrainer(const LargeTable& table, const Encoding& encoding, const TrainOptions& options)
      : table_(table), options_(options), approx_(*options.approx) {
    Model& m = trained_.model;
    m.encoding = encoding;
    m.label = table.label;
    check_learner();
    choose_task();
    if (approx_.choice == NystromOptions::Choice::given && approx_.given.rows() == 0)
      read_centres(encoding);
  }

  [[nodiscard]] const Task& task() const { return task_; }

  Trained run(scale::Crew& crew) {
    begin(crew);
    choose_kernel(crew);
    const NystromOptions o = solver_options();
    if (learner_ == Learner::perceptron) {
      run_perceptron(crew, o);
    } else {
      solve(crew, o);
    }
    if (approx_.automatic) summary_["approx"]["automatic"] = true;
    summary_["rows"] = table_.all;
    if (!trained_.message.empty()) summary_["message"] = trained_.message;
    summary_["mercer"] = version_text;
    trained_.model.training = summary_.dump();
    return std::move(trained_);
  }

 private:
  [[nodiscard]] bool hinge() const { return learner_ == Learner::svm; }

  [[nodiscard]] NystromOptions solver_options() const {
    NystromOptions o;
    o.centres = approx_.size;
    o.choice = approx_.choice;
    o.given = approx_.given;
    o.loss = options_.loss;
    o.lambda = options_.lambda;
    o.tolerance = options_.tolerance;
    if (hinge()) {
      o.loss = Loss::hinge;
      o.offset = options_.offset.value_or(true);
      o.tolerance = options_.svm.tolerance;
      if (options_.C && !(*options_.C > 0)) throw Error("C is a number > 0");
      if (options_.C) o.lambda = 1 / (2 * *options_.C);
    }
    o.seed = options_.seed;
    o.gram = options_.gram;
    o.observe = [&](std::size_t passes, double residual) {
      return !options_.observe || options_.observe({"pass", passes, {{"residual", residual}}});
    };
    return o;
  }

  void solve(scale::Crew& crew, const NystromOptions& o) {
    Model& m = trained_.model;
    const Kernel k = *m.kernel;
    Nystrom r;
    switch (approx_.kind) {
      case Kind::nystrom:
        r = scale::nystrom(crew, k, o);
        break;
      case Kind::sketch:
        r = scale::in_sketch(crew, use_sketch(crew, k), o);
        break;
      default: {
        const RandomFeatures f = use_frequencies(crew, k);
        r = scale::in_features(crew, f.cas, f.frequencies, f.amplitudes, o);
      }
    }
    m.support = r.centres;
    m.coefficients = r.alpha;
    m.offsets = r.offsets;
    if (o.loss == Loss::logistic) m.calibration.assign(task_.columns, {-1, 0});
    trained_.converged = r.converged;
    trained_.interrupted = r.interrupted;
    trained_.unfinished = r.interrupted;
    if (trained_.unfinished && checkpoint_) checkpoint_->write();
    trained_.message = r.message;
    report(r);
  }

  // The explicit form, φ = L⁻¹ b, with the rows of this one rank.
  void run_perceptron(scale::Crew& crew, const NystromOptions& o) {
    Model& m = trained_.model;
    const Kernel k = *m.kernel;
    PerceptronOptions how = options_.perceptron;
    how.seed = options_.seed;
    how.threads = options_.gram.threads;
    how.observe = [&](const PerceptronPass& p) {
      return !options_.observe || options_.observe({"pass",
                                                    p.pass,
                                                    {{"mistakes", static_cast<double>(p.mistakes)},
                                                     {"support", static_cast<double>(p.support)}}});
    };
    const scale::Examples& mine = crew.mine();
    Matrix y{mine.rows(), mine.columns, {}, {}};
    for (std::size_t i = 0; i < mine.rows(); ++i) {
      for (std::size_t c = 0; c < mine.columns; ++c) y.values.push_back(mine.y(i, c));
      if (!mine.weights.empty() || !mine.class_weights.empty())
        how.weights.push_back(mine.weight(i));
    }
    const numeric::How threads{options_.gram.threads, options_.gram.instructions};
    const auto learn = [&](const scale::Basis& basis, const scale::Factor& factor) {
      const BasisRows rows(mine.points, basis, factor, options_.gram);
      const Perceptron p = perceptron_on(rows, y, how);
      Matrix alpha = p.w;
      factor.upper(alpha);
      m.coefficients = alpha;
      m.support = basis.centres;
      m.offsets.assign(task_.columns, 0.0);
      summary_["learner"] = "perceptron";
      report_perceptron(p, how, trained_, summary_);
    };
    switch (approx_.kind) {
      case Kind::nystrom: {
        const auto chosen = scale::chosen_centres(crew, k, o);
        say_centres(chosen.factor.size(), chosen.all.points.rows() - chosen.factor.size());
        learn(chosen.basis, chosen.factor);
        break;
      }
      case Kind::sketch: {
        const Sketch s = use_sketch(crew, k);
        learn({{}, {}, s}, {std::vector<double>(s.size(), 1.0), threads});
        break;
      }
      default: {
        const RandomFeatures f = use_frequencies(crew, k);
        std::vector<double> price;
        for (const double a : f.amplitudes) price.push_back(1 / a);
        learn({f.cas, f.frequencies, {}}, {price, threads});
      }
    }
    summary_["support"] = m.support.rows();
  }

  void check_learner() {
    if (options_.map) throw Error("an approximation is of a kernel, not of a map");
    learner_ = options_.learner.value_or(Learner::ridge);
    if (learner_ == Learner::gradient_descent)
      throw Error(
          "an approximation is for ridge regression, support vectors or the perceptron: the "
          "learner is another");
    if (learner_ != Learner::ridge && options_.loss != Loss::squared)
      throw Error("the logistic loss is one of ridge: the learner is another");
    if (learner_ == Learner::svm) check_svm();
    if (options_.ridge.leave_one_out)
      throw Error("leave-one-out errors need the exact ridge regression, not an approximation");
  }

  void read_centres(const Encoding& encoding) {
    constexpr std::size_t together = 4096;
    TableStream in(approx_.file, encoding, {}, TableStream::Labels::ignored);
    std::vector<Points> parts;
    while (const auto batch = in.next(together)) parts.push_back(batch->points);
    if (parts.empty()) throw Error(approx_.file + ": there is no centre in it");
    approx_.given = scale::joined(parts);
  }

  void check_svm() const {
    const auto refuse = [](const char* what) {
      throw Error(std::string("with an approximation, support vectors have no ") + what +
                  ": leave it out, or leave out the approximation");
    };
    if (options_.svm.problem == SvmOptions::Problem::hard_margin) refuse("hard margin");
    if (options_.svm.problem == SvmOptions::Problem::one_class) refuse("one-class task");
    if (options_.svm.problem != SvmOptions::Problem::classification) refuse("nu");
    if (options_.probability) refuse("probabilities (ridge with the logistic loss has)");
    if (options_.checkpoint) refuse("checkpoints");
    if (options_.svm.moves > 0) refuse("moves");
    if (options_.svm.seconds > 0) refuse("time limit");
  }

  void choose_task() {
    Model& m = trained_.model;
    if (!table_.numeric && table_.classes.empty())
      throw Error("the data have no labels: nothing to learn");
    const bool look_like_classes =
        !table_.numeric || (looks_whole() && few_for_classes(table_.classes.size(), table_.all));
    task_.regression =
        options_.task ? *options_.task == Model::Task::regression : !look_like_classes;
    m.task = task_.regression ? Model::Task::regression : Model::Task::classification;
    if (task_.regression) {
      if (learner_ == Learner::perceptron)
        throw Error("a perceptron tells classes apart; for regression use ridge");
      if (learner_ == Learner::svm)
        throw Error(
            "with an approximation, support vectors are for classes; for regression use "
            "ridge");
      if (!table_.numeric)
        throw Error("regression needs labels that are numbers; `" + table_.classes[0] +
                    "` is none");
      if (options_.balanced || !options_.class_weights.empty())
        throw Error("weights of classes are for classification, not for regression");
      if (options_.loss == Loss::logistic)
        throw Error("the logistic loss is for classes, not for regression");
      if (!options_.task) trained_.chosen.emplace_back("task: regression, the labels are numbers");
    } else {
      if (table_.classes.empty())
        throw Error("the labels have too many different values to be classes");
      if (table_.classes.size() < 2)
        throw Error("there is only one class, `" + table_.classes[0] + "`: nothing to tell apart");
      m.classes = table_.classes;
      m.numeric_classes = table_.numeric;
      task_.columns = m.classes.size() == 2 ? 1 : m.classes.size();
      m.scheme = task_.columns == 1 ? Model::Scheme::one : Model::Scheme::per_class;
      if (options_.balanced || !options_.class_weights.empty())
        task_.class_weights = class_weights(table_.classes, table_.counts, options_);
      if (!options_.task)
        trained_.chosen.push_back(
            fmt::format("task: classification, the labels have {} values", m.classes.size()));
    }
    // Also of classes where nobody asked for an approximation: support vectors take a hundred times
    // as many passes over rows that are on disk.
    if (!options_.learner)
      trained_.chosen.emplace_back(options_.loss == Loss::squared
                                       ? "learner: ridge"
                                       : "learner: ridge, with the logistic loss");
    if (approx_.automatic)
      trained_.chosen.push_back(fmt::format(
          "approx: nystrom(m={}), since the rows do not fit into memory", approx_.size));
  }

  [[nodiscard]] bool looks_whole() const {
    constexpr std::size_t most_number_classes = 50;
    return !table_.classes.empty() && table_.classes.size() <= most_number_classes &&
           std::ranges::all_of(table_.classes, [](const std::string& name) {
             return name.find_first_of(".eEnN") == std::string::npos;
           });
  }

  // Where it was left, if it was.
  void begin(scale::Crew& crew) {
    if (!options_.checkpoint) return;
    checkpoint_.emplace(*options_.checkpoint,
                        fingerprint_of(crew.checksum(), trained_.model.classes,
                                       trained_.model.encoding, approx_, options_));
    passes_.emplace(*checkpoint_);
    crew.use(*passes_);
    trained_.resumed = checkpoint_->resumed();
    if (trained_.resumed) say("resumed", "from " + checkpoint_->path());
  }

  void choose_kernel(scale::Crew& crew) {
    Model& m = trained_.model;
    // Support vector machines have an offset of their own.
    const bool offset = !hinge() && options_.offset.value_or(task_.regression);
    if (options_.kernel) {
      m.kernel = options_.kernel;
    } else {
      const auto some = crew.fetch(scale::sample_of(table_.all, 300, options_.seed));
      m.kernel = rbf_from_data(some.points, options_.seed);
      trained_.chosen.push_back("kernel: " + m.kernel->text() +
                                ", from the median distance of the points");
    }
    if (!offset) return;
    m.kernel = *m.kernel + Kernel::parse("1");
    if (!options_.offset) trained_.chosen.emplace_back("offset: the constant kernel 1 is added");
  }

  void say(const std::string& name, const std::string& text) {
    trained_.report.emplace_back(name, text);
  }

  void say_error(const std::string& kind, const Kernel& k, std::size_t features,
                 const FeatureError& error) {
    say("approx", fmt::format("{}, {} features for {}", kind, features, k.text()));
    say("of k",
        fmt::format("off by {:.2g} at most, {:.2g} in root mean square, on {} pairs{}",
                    error.largest, error.mean_square, error.pairs,
                    error.bound < 0 ? ""
                    : error.bound == 0
                        ? "; exact, up to rounding"
                        : fmt::format("; {}below {:.2g} in 99 of 100 cases",
                                      error.of_mean_square ? "the latter " : "", error.bound)));
    summary_["approx"] = {{"kind", kind},
                          {"kernel", k.text()},
                          {"features", features},
                          {"error", error.largest},
                          {"rms_error", error.mean_square},
                          {"pairs", error.pairs}};
    if (error.bound >= 0)
      summary_["approx"][error.of_mean_square ? "rms_bound" : "bound"] = error.bound;
  }

  // The frequencies are the support points of cos(x.z) + sin(x.z), which then is the model's
  // kernel.
  RandomFeatures use_frequencies(scale::Crew& crew, const Kernel& k) {
    summary_["learner"] = name_of_learner();
    const bool orthogonal = approx_.kind == Kind::orthogonal;
    RandomFeatures f =
        random_features(k, table_.points.columns(),
                        {.count = approx_.size, .orthogonal = orthogonal, .seed = options_.seed});
    const auto some = crew.fetch(scale::sample_of(table_.all, 300, options_.seed));
    say_error(orthogonal ? "orthogonal" : "fourier", k, f.size(),
              feature_error(k, f, some.points, options_.seed));
    trained_.model.kernel = f.cas;
    return f;
  }

  // The sketch stands in the model instead of a kernel.
  Sketch use_sketch(scale::Crew& crew, const Kernel& k) {
    summary_["learner"] = name_of_learner();
    Sketch s = sketch(k, table_.points.columns(), {.count = approx_.size, .seed = options_.seed});
    const auto some = crew.fetch(scale::sample_of(table_.all, 300, options_.seed));
    say_error("sketch", k, s.size(), feature_error(k, s, some.points, options_.seed));
    trained_.model.kernel.reset();
    trained_.model.sketch = s;
    return s;
  }

  [[nodiscard]] const char* name_of_learner() const {
    return hinge() ? "svm" : learner_ == Learner::perceptron ? "perceptron" : "ridge";
  }

  void say_centres(std::size_t centres, std::size_t left_out) {
    say("approx",
        fmt::format(
            "nystrom, {} centres, {}{}", centres, name_of(approx_.choice),
            left_out == 0 ? "" : fmt::format("; {} more were combinations of them", left_out)));
    summary_["learner"] = name_of_learner();
    summary_["approx"] = {
        {"kind", "nystrom"},
        {"centres", centres},
        {"asked",
         approx_.choice == NystromOptions::Choice::given ? approx_.given.rows() : approx_.size},
        {"choice", name_of(approx_.choice)}};
  }

  void report(const Nystrom& r) {
    if (approx_.kind == Kind::nystrom) say_centres(r.centres.rows(), r.left_out);
    if (!r.path.empty()) {
      const auto best = std::ranges::find(r.path, r.lambda, &Nystrom::Tried::lambda);
      trained_.chosen.push_back(fmt::format(
          "{}: {:.3g}, of {} tried the least loss on {} points that were held out, {:.4g}",
          hinge() ? "C" : "lambda", hinge() ? 1 / (2 * r.lambda) : r.lambda, r.path.size(),
          r.held_out, best->held_out));
    }
    if (hinge()) {
      report_hinge(r);
    } else {
      report_solver(r);
    }
    Json path = Json::array();
    for (const auto& t : r.path)
      path.push_back({{hinge() ? "C" : "lambda", hinge() ? 1 / (2 * t.lambda) : t.lambda},
                      {"held_out", t.held_out}});
    if (!r.path.empty()) summary_["path"] = path;
    summary_["iterations"] = r.iterations;
    summary_["passes"] = r.passes;
    summary_["converged"] = r.converged;
    summary_["support"] = r.centres.rows();
  }

  void report_solver(const Nystrom& r) {
    const bool logistic = options_.loss == Loss::logistic;
    say("loss", logistic ? "logistic" : "squared");
    say("lambda", fmt::format("{:.4g}", r.lambda));
    say("solved", fmt::format("{}conjugate gradients, iterations: {}, residual {:.2g}; {} in all",
                              logistic ? counted(r.newton_steps, "Newton step") + ", " : "",
                              r.iterations, r.residual, counted(r.passes, "pass", "passes")));
    summary_["options"] = {{"loss", logistic ? "logistic" : "squared"},
                           {"lambda", r.lambda},
                           {"tolerance", options_.tolerance},
                           {"seed", options_.seed}};
    summary_["residual"] = r.residual;
  }

  void report_hinge(const Nystrom& r) {
    const double C = 1 / (2 * r.lambda);
    say("loss", "hinge");
    say("C", fmt::format("{:.4g}", C));
    say("solved",
        fmt::format("{}, {} of conjugate gradients, gap {:.2g}; {} in all",
                    counted(r.newton_steps, "Newton step"), counted(r.iterations, "iteration"),
                    r.residual, counted(r.passes, "pass", "passes")));
    say("objective", fmt::format("{:.6g}, of the dual {:.6g}", r.primal, r.dual));
    summary_["options"] = {{"loss", "hinge"},
                           {"C", C},
                           {"offset", options_.offset.value_or(true)},
                           {"tolerance", options_.svm.tolerance},
                           {"multiclass", "rest"},
                           {"seed", options_.seed}};
    summary_["primal"] = r.primal;
    summary_["dual"] = r.dual;
    summary_["gap"] = r.residual;
    summary_["factors"] = r.factors;
    summary_["factor_rows"] = r.factor_rows;
  }

  const LargeTable& table_;
  const TrainOptions& options_;
  Approximation approx_;
  Learner learner_ = Learner::ridge;
  Task task_;
  std::optional<Checkpoint> checkpoint_;
  std::optional<Passes> passes_;
  Trained trained_;
  Json summary_;
};

scale::Examples examples_of(const LargeTable& table, const Task& task) {
  scale::Examples mine;
  mine.points = table.points;
  mine.first = table.first;
  mine.all = table.all;
  mine.files = table.files;
  mine.columns = task.columns;
  if (task.regression) {
    mine.numbers = table.numbers;
  } else {
    mine.codes = table.codes;
  }
  mine.weights = table.weights;
  mine.class_weights = task.class_weights;
  mine.forget = table.forget;
  return mine;
}

}  // namespace

LargeTable large_table(const Table& table, Classes& classes) {
  LargeTable t;
  t.points = table.points;
  t.all = table.rows();
  t.numbers = table.labels.numbers;
  t.numeric = !table.labels.numbers.empty();
  if (!table.labels.empty()) classes = classes_of(table.labels);
  t.codes = classes.codes;
  t.classes = classes.names;
  t.counts = classes.counts;
  t.weights = table.weights;
  t.label = table.labels.name;
  return t;
}

std::optional<Trained> train_large(const comm::Comm& comm, const LargeTable& table,
                                   const Encoding& encoding, const TrainOptions& options) {
  // What the first rank decides, the others hear; nothing where it fails.
  std::optional<LargeTrainer> trainer;
  std::string heard;
  Task task;
  if (comm.rank() == 0) {
    try {
      trainer.emplace(table, encoding, options);
      if (comm.ranks() > 1 && options.learner == Learner::perceptron)
        throw Error(
            "a perceptron visits one example after the other: it has no use for several "
            "ranks of mpirun; use ridge or svm, or leave out mpirun");
    } catch (...) {
      comm::broadcast(comm, heard);
      throw;
    }
    task = trainer->task();
    heard = scale::Message().put(task.regression).put(task.columns).put(task.class_weights).bytes();
  }
  comm::broadcast(comm, heard);
  if (heard.empty()) return std::nullopt;
  if (comm.rank() != 0) {
    scale::MessageReader reader(heard);
    task.regression = reader.get<bool>();
    task.columns = reader.get<std::size_t>();
    task.class_weights = reader.get_all<double>();
  }
  const scale::Examples mine = examples_of(table, task);
  scale::Crew crew(comm, mine);
  if (comm.rank() != 0) {
    crew.serve();
    return std::nullopt;
  }
  return trainer->run(crew);
}

}  // namespace mercer::learn
