#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/mapped.hpp>
#include <mercer/train.hpp>
#include <mercer/version.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/random.hpp"
#include "learn/choose_svm.hpp"
#include "learn/perceptron_report.hpp"
#include "learn/svm_records.hpp"
#include "learn/task.hpp"
#include "learn/train_large.hpp"
#include "learn/train_svm.hpp"
#include "learn/train_with.hpp"
#include "learn/width.hpp"

namespace mercer {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t sample_for_lambda = 1500;

class Trainer {
 public:
  Trainer(const Table& table, const Encoding& encoding, const TrainOptions& options,
          learn::SolveRidge solve_ridge)
      : table_(table), options_(options), solve_ridge_(std::move(solve_ridge)) {
    if (options.kernel && options.map) throw Error("either a kernel or a map, not both");
    targets_ = learn::targets_of(table, options, trained_.chosen);
    Model& m = trained_.model;
    m.task = targets_.task;
    m.scheme = targets_.scheme;
    m.classes = targets_.classes;
    m.numeric_classes = targets_.numeric_classes;
    m.encoding = encoding;
    m.label = table.labels.name;
    m.offsets.assign(targets_.y.columns, 0.0);
    choose_learner();
    begin();
    choose_price();
    choose_rule();
  }

  Trained run() {
    Points phi;
    if (trained_.model.map) phi = mapped(*trained_.model.map, table_.points, options_.gram.threads);
    switch (learner_) {
      case Learner::perceptron:
        run_perceptron(phi);
        break;
      case Learner::gradient_descent:
        run_gradient_descent(phi);
        break;
      case Learner::ridge:
        run_ridge(phi);
        break;
      case Learner::svm:
        learn::train_svm(table_, targets_, options_,
                         options_.C.value_or(svm_choice_ ? svm_choice_->C : options_.svm.C), phi,
                         course_, trained_, summary_);
        break;
    }
    keep_support();
    summary_["rows"] = table_.rows();
    if (!trained_.message.empty()) summary_["message"] = trained_.message;
    summary_["mercer"] = version_text;
    trained_.model.training = summary_.dump();
    return std::move(trained_);
  }

 private:
  void choose_learner() {
    const bool classes = targets_.task == Model::Task::classification;
    learner_ = options_.learner.value_or(classes ? Learner::svm : Learner::ridge);
    if (!options_.learner)
      trained_.chosen.emplace_back(classes ? "learner: svm, support vectors" : "learner: ridge");
    if (learner_ == Learner::perceptron && targets_.task == Model::Task::regression)
      throw Error("a perceptron tells classes apart; for regression use ridge or gradient descent");
  }

  // Where it was left, if it was.
  void begin() {
    course_.seconds = options_.svm.seconds;
    if (!options_.checkpoint) return;
    if (learner_ != Learner::svm)
      throw Error("only support vector machines have checkpoints: leave it out, or use them");
    checkpoint_.emplace(*options_.checkpoint,
                        learn::fingerprint_of(table_, trained_.model.encoding, options_));
    course_.checkpoint = &*checkpoint_;
    trained_.resumed = checkpoint_->resumed();
    if (trained_.resumed) say("resumed", "from " + checkpoint_->path());
  }

  // By cross-validation, once: a choice that was made stays.
  std::optional<learn::SvmChoice> svm_choice() {
    constexpr const char* key = "choice";
    if (checkpoint_)
      if (const auto record = checkpoint_->find(key)) return learn::choice_in(*record);
    const double gamma =
        options_.kernel || options_.map ? 0 : learn::width_from_data(table_.points, options_.seed);
    const auto choice = learn::choose_svm(table_, targets_.task, options_, gamma, course_);
    if (checkpoint_) checkpoint_->put(key, learn::record_of(choice));
    return choice;
  }

  // C of support vector machines, where it is not given.
  void choose_price() {
    using Problem = SvmOptions::Problem;
    const bool classes = targets_.task == Model::Task::classification;
    if (learner_ != Learner::svm || (!classes && targets_.task != Model::Task::regression)) return;
    if (options_.C || (options_.svm.problem != Problem::classification &&
                       (classes || options_.svm.problem != Problem::regression)))
      return;
    svm_choice_ = svm_choice();
    if (!svm_choice_) {
      trained_.chosen.push_back(fmt::format(
          "C: {:g}, since there are too few examples for cross-validation", options_.svm.C));
      return;
    }
    trained_.chosen.push_back(
        classes ? fmt::format("C: {:g}, {:.1f} % right in cross-validation on {} of the points",
                              svm_choice_->C, 100 * svm_choice_->merit, svm_choice_->rows)
                : fmt::format("C: {:g}, R² {:.4f} in cross-validation on {} of the points",
                              svm_choice_->C, svm_choice_->merit, svm_choice_->rows));
  }

  void choose_rule() {
    Model& m = trained_.model;
    // Support vector machines have an offset of their own.
    const bool offset = learner_ != Learner::svm &&
                        options_.offset.value_or(targets_.task == Model::Task::regression);
    if (options_.map) {
      m.map = options_.map;
      if (m.map->dimension != table_.columns())
        throw Error(fmt::format("the map is for points of dimension {}, the data have {} columns",
                                m.map->dimension, table_.columns()));
      if (offset) m.map->coordinates.push_back(Kernel::parse("1"));
      return;
    }
    if (options_.kernel) {
      m.kernel = options_.kernel;
    } else if (svm_choice_) {
      m.kernel = rbf(svm_choice_->gamma);
      trained_.chosen.push_back("kernel: " + m.kernel->text() + ", by cross-validation");
    } else {
      m.kernel = rbf_from_data(table_.points, options_.seed);
      trained_.chosen.push_back("kernel: " + m.kernel->text() +
                                ", from the median distance of the points");
    }
    if (!offset) return;
    m.kernel = *m.kernel + Kernel::parse("1");
    if (!options_.offset) trained_.chosen.emplace_back("offset: the constant kernel 1 is added");
  }

  [[nodiscard]] bool tell(const TrainingStep& step) const {
    return !options_.observe || options_.observe(step);
  }

  void say(const std::string& name, const std::string& text) {
    trained_.report.emplace_back(name, text);
  }

  void run_perceptron(const Points& phi) {
    PerceptronOptions o = options_.perceptron;
    o.seed = options_.seed;
    o.weights = targets_.weights;
    o.threads = options_.gram.threads;
    o.observe = [&](const PerceptronPass& p) {
      return tell({"pass",
                   p.pass,
                   {{"mistakes", static_cast<double>(p.mistakes)},
                    {"support", static_cast<double>(p.support)}}});
    };
    Perceptron p;
    if (trained_.model.map) {
      p = perceptron(phi, targets_.y, o);
      trained_.model.coefficients = p.w;
    } else {
      GramOptions how = options_.gram;
      if (how.storage == GramOptions::Storage::automatic)
        how.storage = GramOptions::Storage::recomputed;
      p = perceptron(Gram(*trained_.model.kernel, table_.points, how), targets_.y, o);
      trained_.model.coefficients = p.coefficients;
    }
    learn::report_perceptron(p, o, trained_, summary_);
  }

  void run_gradient_descent(const Points& phi) {
    GradientDescentOptions o = options_.gradient_descent;
    o.seed = options_.seed;
    o.weights = targets_.weights;
    o.gram = options_.gram;
    o.observe = [&](const GradientPass& p) {
      TrainingStep step{"pass", p.pass, {{"loss", p.loss}}};
      if (p.held_out) step.values.emplace_back("held_out", *p.held_out);
      return tell(step);
    };
    GradientDescent g;
    if (trained_.model.map) {
      g = gradient_descent(phi, targets_.y, o);
      trained_.model.coefficients = g.w;
    } else {
      g = gradient_descent(*trained_.model.kernel, table_.points, targets_.y, o);
      trained_.model.coefficients = g.alpha;
    }
    using End = GradientDescent::End;
    trained_.message = g.message;
    if (g.end == End::diverged) throw Error(g.message);
    trained_.converged = g.end == End::converged || g.end == End::early_stopped;
    trained_.interrupted = g.end == End::interrupted;
    say("passes", std::to_string(g.passes.size()));
    say("loss", fmt::format("{:.6g}, from {:.6g} at α = 0", g.passes.back().loss, g.initial_loss));
    if (g.passes.back().held_out)
      say("held out", fmt::format("mean squared error {:.6g}", *g.passes.back().held_out));
    say("step", fmt::format("{:.4g}; the largest eigenvalue{} is {:.4g}", g.step,
                            g.eigenvectors > 0 ? " left by the preconditioner" : "", g.lambda_max));
    summary_["learner"] = "gradient descent";
    summary_["options"] = {{"passes", o.passes},     {"momentum", o.momentum},
                           {"batch", g.batch},       {"eigenvectors", g.eigenvectors},
                           {"held_out", o.held_out}, {"seed", o.seed}};
    summary_["step"] = g.step;
    summary_["lambda_max"] = g.lambda_max;
    summary_["passes"] = g.passes.size();
    summary_["loss"] = g.passes.back().loss;
    summary_["converged"] = trained_.converged;
  }

  void run_ridge(const Points& phi) {
    RidgeOptions o = options_.ridge;
    o.seed = options_.seed;
    o.weights = targets_.weights;
    o.gram = options_.gram;
    o.lambda = options_.lambda ? *options_.lambda : lambda_from_data(phi);
    o.observe = [&](std::size_t i, double residual) {
      return tell({"iteration", i, {{"residual", residual}}});
    };
    const Ridge r = trained_.model.map
                        ? ridge(phi, targets_.y, o)
                        : solve_ridge_(*trained_.model.kernel, table_.points, targets_.y, o);
    trained_.model.coefficients = trained_.model.map ? r.w : r.alpha;
    trained_.converged = r.converged;
    trained_.interrupted = r.interrupted;
    trained_.message = r.message;
    say("lambda", fmt::format("{:.4g}", o.lambda));
    say("solved", fmt::format("{}, residual {:.2g}", r.solver, r.residual));
    summary_["learner"] = "ridge";
    summary_["options"] = {{"lambda", o.lambda}, {"tolerance", o.tolerance}, {"seed", o.seed}};
    summary_["solver"] = r.solver;
    summary_["residual"] = r.residual;
    summary_["iterations"] = r.iterations;
    summary_["converged"] = r.converged;
    if (o.leave_one_out) {
      double sum = 0;
      double total = 0;
      for (std::size_t i = 0; i < table_.rows(); ++i) {
        const double weight = targets_.weights.empty() ? 1.0 : targets_.weights[i];
        for (const double e : r.leave_one_out.row(i)) sum += weight * e * e;
        total += weight;
      }
      const double mean = sum / total;
      say("left out", fmt::format("mean squared error {:.6g}", mean));
      summary_["leave_one_out"] = mean;
    }
  }

  // From 1e-6 to 1e3 times the mean of k(x,x) and of the weights: the least leave-one-out error.
  double lambda_from_data(const Points& phi) {
    const auto rows = RandomNumbers(options_.seed).sample(table_.rows(), sample_for_lambda);
    try {
      return lambda_from(rows, phi);
    } catch (const EvaluationError& error) {
      if (rows.size() == table_.rows()) throw;
      throw EvaluationError(std::string("in a sample of the rows: ") + error.what());
    }
  }

  double lambda_from(const std::vector<std::size_t>& rows, const Points& phi) {
    const Points x = (trained_.model.map ? phi : table_.points).select(rows);
    const Kernel k = trained_.model.map ? linear() : *trained_.model.kernel;
    Matrix y{rows.size(), targets_.y.columns, {}, {}};
    RidgeOptions o;
    o.gram = options_.gram;
    for (const std::size_t i : rows) {
      const auto row = targets_.y.row(i);
      y.values.insert(y.values.end(), row.begin(), row.end());
      if (!targets_.weights.empty()) o.weights.push_back(targets_.weights[i]);
    }
    std::vector<double> diagonal(rows.size());
    Gram(k, x, options_.gram).diagonal(diagonal);
    double mean = 0;
    for (const double v : diagonal) mean += std::abs(v) / static_cast<double>(rows.size());
    // λ is a price beside Σ c_i (…)²: with all weights c_i a hundredfold, it is, too.
    const double scale = (mean > 0 ? std::pow(10.0, std::round(std::log10(mean))) : 1.0) *
                         learn::mean_weight(targets_.weights);
    std::vector<double> lambdas;
    for (int power = 3; power >= -6; --power) lambdas.push_back(scale * std::pow(10.0, power));
    const RidgePath path = ridge_path(k, x, y, lambdas, o);
    const double lambda = lambdas[path.best];
    std::string text = fmt::format(
        "lambda: {:.3g}, the least leave-one-out error on {} of the points", lambda, rows.size());
    if (path.best == 0 || path.best + 1 == lambdas.size())
      text += fmt::format(", and the {} that was tried: {} may be better (--lambda)",
                          path.best == 0 ? "largest" : "smallest",
                          path.best == 0 ? "larger ones" : "smaller ones");
    trained_.chosen.push_back(std::move(text));
    return lambda;
  }

  // Only points with some α ≠ 0, and in memory of their own: a model outlives its data.
  void keep_support() {
    Model& m = trained_.model;
    if (m.map) return;
    if (m.scheme != Model::Scheme::pairs) {
      m.support = table_.points;
      const Matrix& alpha = m.coefficients;
      for (std::size_t i = 0; i < alpha.rows; ++i)
        if (std::ranges::any_of(alpha.row(i), [](double v) { return v != 0; }))
          trained_.support_rows.push_back(i);
      m = m.compacted();
    }
    const std::size_t kept = m.support.rows();
    if (kept == table_.rows()) m.support = m.support.select(Rows::all().of(kept));
    say("support", fmt::format("{} of {} points", kept, table_.rows()));
    summary_["support"] = kept;
  }

  const Table& table_;
  const TrainOptions& options_;
  learn::SolveRidge solve_ridge_;
  learn::Targets targets_;
  Learner learner_ = Learner::ridge;
  learn::Course course_;
  std::optional<learn::Checkpoint> checkpoint_;
  std::optional<learn::SvmChoice> svm_choice_;
  Trained trained_;
  Json summary_;
};

}  // namespace

Trained learn::train_with(const SolveRidge& solve, const Table& table, const Encoding& encoding,
                          const TrainOptions& options) {
  return Trainer(table, encoding, options, solve).run();
}

Trained train(const Table& table, const Encoding& encoding, const TrainOptions& options) {
  if (!options.approx) {
    if (options.loss != NystromOptions::Loss::squared)
      throw Error("the logistic loss needs an approximation, such as nystrom");
    return learn::train_with([](const Kernel& k, const Points& x, const Matrix& y,
                                const RidgeOptions& o) { return ridge(k, x, y, o); },
                             table, encoding, options);
  }
  Classes classes;
  return *learn::train_large(comm::alone(), learn::large_table(table, classes), encoding, options);
}

}  // namespace mercer
