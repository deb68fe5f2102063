#include "learn/train_large.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/nystrom.hpp>
#include <mercer/random_features.hpp>
#include <mercer/version.hpp>
#include <nlohmann/json.hpp>

#include "learn/fingerprint.hpp"
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
  }

  [[nodiscard]] const Task& task() const { return task_; }

  Trained run(scale::Crew& crew) {
    Model& m = trained_.model;
    begin(crew);
    choose_kernel(crew);
    NystromOptions o;
    o.centres = approx_.size;
    o.choice = approx_.choice;
    o.given = approx_.given;
    o.loss = options_.loss;
    o.lambda = options_.lambda;
    o.seed = options_.seed;
    o.gram = options_.gram;
    o.observe = [&](std::size_t passes, double residual) {
      return !options_.observe || options_.observe({"pass", passes, {{"residual", residual}}});
    };
    const Nystrom r =
        approx_.kind == Kind::nystrom ? scale::nystrom(crew, *m.kernel, o) : in_features(crew, o);
    m.support = r.centres;
    m.coefficients = r.alpha;
    m.offsets.assign(task_.columns, 0.0);
    if (options_.loss == Loss::logistic) m.calibration.assign(task_.columns, {-1, 0});
    trained_.converged = r.converged;
    trained_.interrupted = r.interrupted;
    trained_.unfinished = r.interrupted;
    if (trained_.unfinished && checkpoint_) checkpoint_->write();
    trained_.message = r.message;
    report(r);
    trained_.model.training = summary_.dump();
    return std::move(trained_);
  }

 private:
  void check_learner() {
    if (options_.map) throw Error("an approximation is of a kernel, not of a map");
    if (options_.learner.value_or(Learner::ridge) != Learner::ridge)
      throw Error(
          "an approximation is for ridge regression, by the squared or the logistic loss: the "
          "learner is another");
    if (options_.ridge.leave_one_out)
      throw Error("leave-one-out errors need the exact ridge regression, not an approximation");
  }

  void choose_task() {
    Model& m = trained_.model;
    if (!table_.numeric && table_.classes.empty())
      throw Error("the data have no labels: nothing to learn");
    const bool look_like_classes =
        !table_.numeric || (looks_whole() && 2 * table_.classes.size() <= table_.all);
    task_.regression =
        options_.task ? *options_.task == Model::Task::regression : !look_like_classes;
    m.task = task_.regression ? Model::Task::regression : Model::Task::classification;
    if (task_.regression) {
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
    if (!options_.learner)
      trained_.chosen.push_back(options_.loss == Loss::squared
                                    ? "learner: ridge"
                                    : "learner: ridge, with the logistic loss");
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
    const bool offset = options_.offset.value_or(task_.regression);
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

  // The frequencies are the support points of cos(x.z) + sin(x.z), which then is the model's
  // kernel.
  Nystrom in_features(scale::Crew& crew, const NystromOptions& o) {
    Model& m = trained_.model;
    const Kernel k = *m.kernel;
    const bool orthogonal = approx_.kind == Kind::orthogonal;
    const RandomFeatures f =
        random_features(k, table_.points.columns(),
                        {.count = approx_.size, .orthogonal = orthogonal, .seed = options_.seed});
    const auto some = crew.fetch(scale::sample_of(table_.all, 300, options_.seed));
    const FeatureError error = feature_error(k, f, some.points, options_.seed);
    say("approx", fmt::format("{}, {} features for {}", orthogonal ? "orthogonal" : "fourier",
                              f.size(), k.text()));
    say("of k",
        fmt::format(
            "off by {:.2g} at most, {:.2g} in root mean square, on {} pairs{}", error.largest,
            error.mean_square, error.pairs,
            error.bound < 0 ? "" : fmt::format("; below {:.2g} in 99 of 100 cases", error.bound)));
    summary_["learner"] = "ridge";
    summary_["approx"] = {{"kind", orthogonal ? "orthogonal" : "fourier"},
                          {"kernel", k.text()},
                          {"features", f.size()},
                          {"error", error.largest},
                          {"rms_error", error.mean_square},
                          {"pairs", error.pairs}};
    if (error.bound >= 0) summary_["approx"]["bound"] = error.bound;
    m.kernel = f.cas;
    return scale::in_features(crew, f.cas, f.frequencies, f.amplitudes, o);
  }

  void say_centres(const Nystrom& r) {
    say("approx",
        fmt::format(
            "nystrom, {} centres, {}{}", r.centres.rows(), name_of(approx_.choice),
            r.left_out == 0 ? "" : fmt::format("; {} more were combinations of them", r.left_out)));
    summary_["learner"] = "ridge";
    summary_["approx"] = {
        {"kind", "nystrom"},
        {"centres", r.centres.rows()},
        {"asked",
         approx_.choice == NystromOptions::Choice::given ? approx_.given.rows() : approx_.size},
        {"choice", name_of(approx_.choice)}};
  }

  void report(const Nystrom& r) {
    const bool logistic = options_.loss == Loss::logistic;
    if (approx_.kind == Kind::nystrom) say_centres(r);
    if (!r.path.empty()) {
      const auto best = std::ranges::find(r.path, r.lambda, &Nystrom::Tried::lambda);
      trained_.chosen.push_back(fmt::format(
          "lambda: {:.3g}, of {} tried the least loss on {} points that were held out, {:.4g}",
          r.lambda, r.path.size(), r.held_out, best->held_out));
    }
    say("loss", logistic ? "logistic" : "squared");
    say("lambda", fmt::format("{:.4g}", r.lambda));
    say("solved",
        fmt::format("{}conjugate gradients, {} iterations, residual {:.2g}; {} passes in all",
                    logistic ? fmt::format("{} Newton steps, ", r.newton_steps) : "", r.iterations,
                    r.residual, r.passes));
    summary_["options"] = {
        {"loss", logistic ? "logistic" : "squared"}, {"lambda", r.lambda}, {"seed", options_.seed}};
    Json path = Json::array();
    for (const auto& t : r.path) path.push_back({{"lambda", t.lambda}, {"held_out", t.held_out}});
    if (!r.path.empty()) summary_["path"] = path;
    summary_["iterations"] = r.iterations;
    summary_["passes"] = r.passes;
    summary_["residual"] = r.residual;
    summary_["converged"] = r.converged;
    summary_["support"] = r.centres.rows();
    summary_["rows"] = table_.all;
    if (!r.message.empty()) summary_["message"] = r.message;
    summary_["mercer"] = version_text;
  }

  const LargeTable& table_;
  const TrainOptions& options_;
  const Approximation& approx_;
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
