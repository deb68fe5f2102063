// Learning: arrays in, arrays out. Each function takes the options of the core, the kernel, the
// points (or, for the kernel `precomputed`, the user's matrix), targets and weights, and a callback
// that is told how far it is.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mercer/gradient_descent.hpp>
#include <mercer/perceptron.hpp>
#include <mercer/ridge.hpp>
#include <mercer/svm.hpp>
#include <mercer/train.hpp>

#include "arrays.hpp"
#include "module.hpp"
#include "running.hpp"

namespace mercer::python {

namespace {

// What all learners take.
struct Task {
  const Kernel& kernel;
  const Points& x;
  GramOptions gram;

  Task(const Kernel& k, const Points& points, GramOptions how, const std::optional<Square>& matrix)
      : kernel(k), x(points), gram(std::move(how)) {
    if (matrix)
      gram.precomputed = GramOptions::Matrix{matrix->data(), matrix->shape(0), matrix->shape(1)};
  }
};

nb::dict support_vectors(const Kernel& k, const Points& x, const std::optional<Square>& matrix,
                         const Vector& y, const std::optional<Vector>& weights, SvmOptions options,
                         const GramOptions& gram, nb::object callback) {
  Task task(k, x, gram, matrix);
  task.gram.storage = GramOptions::Storage::recomputed;  // the solver keeps rows of its own
  options.weights = vector_of(weights);
  options.threads = gram.threads;
  Running running(std::move(callback));
  options.observe = [&](const SvmProgress& p) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = "round";
      step["number"] = p.rounds;
      step["violation"] = p.violation;
      step["moves"] = p.moves;
      step["active"] = p.active;
      return step;
    });
  };
  Svm s = running.run([&] { return svm(Gram(k, x, task.gram), span_of(y), options); });
  nb::dict d;
  d["converged"] = s.end == Svm::End::converged;
  d["coefficients"] = array_of(std::move(s.coefficients));
  d["offset"] = s.offset;
  d["moves"] = s.moves;
  d["message"] = s.message;
  d["primal"] = s.primal;
  d["dual"] = s.dual;
  d["tube"] = s.tube;
  return d;
}

// One machine for two classes, one for each pair of more.
nb::dict support_vectors_of_classes(const Kernel& k, const Points& x,
                                    const std::optional<Square>& matrix, const Vector& codes,
                                    const std::optional<Vector>& weights, const SvmOptions& how,
                                    const GramOptions& gram, bool probability, std::uint64_t seed,
                                    nb::object callback) {
  const Task task(k, x, gram, matrix);
  Table table;
  table.points = x;
  table.labels.numbers.assign(span_of(codes).begin(), span_of(codes).end());
  table.weights = vector_of(weights);
  TrainOptions options;
  options.learner = Learner::svm;
  options.kernel = k;
  options.task = Model::Task::classification;
  options.C = how.C;
  options.svm = how;
  options.gram = task.gram;
  options.seed = seed;
  options.probability = probability;
  Running running(std::move(callback));
  options.observe = [&](const TrainingStep& s) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = s.unit;
      step["number"] = s.number;
      for (const auto& [name, value] : s.values) step[name.c_str()] = value;
      return step;
    });
  };
  Trained t = running.run([&] { return train(table, Encoding{}, options); });
  nb::dict d;
  d["converged"] = t.converged;
  d["message"] = t.message;
  d["support"] = array_of(std::vector<std::int64_t>(t.support_rows.begin(), t.support_rows.end()));
  d["coefficients"] = array_of(std::move(t.model.coefficients));
  d["counts"] = t.model.support_counts;
  d["offsets"] = array_of(std::move(t.model.offsets));
  std::vector<double> sigmoids;
  for (const auto& s : t.model.calibration) sigmoids.insert(sigmoids.end(), {s.slope, s.offset});
  const std::size_t machines = sigmoids.size() / 2;
  d["calibration"] = array_of(std::move(sigmoids), {machines, 2});
  d["training"] = t.model.training;
  return d;
}

nb::dict ridge_regression(const Kernel& k, const Points& x, const std::optional<Square>& matrix,
                          const Square& y, const std::optional<Vector>& weights,
                          RidgeOptions options, const GramOptions& gram, nb::object callback) {
  options.gram = Task(k, x, gram, matrix).gram;
  options.weights = vector_of(weights);
  Running running(std::move(callback));
  options.observe = [&](std::size_t iteration, double residual) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = "iteration";
      step["number"] = iteration;
      step["residual"] = residual;
      return step;
    });
  };
  const Matrix targets = matrix_of(y);
  Ridge r = running.run([&] { return ridge(k, x, targets, options); });
  nb::dict d;
  d["converged"] = r.converged;
  d["alpha"] = array_of(std::move(r.alpha));
  d["solver"] = r.solver;
  d["residual"] = r.residual;
  d["iterations"] = r.iterations;
  d["positive_definite"] = r.positive_definite;
  d["leave_one_out"] = array_of(std::move(r.leave_one_out));
  d["message"] = r.message;
  return d;
}

nb::dict perceptrons(const Kernel& k, const Points& x, const std::optional<Square>& matrix,
                     const Square& y, const std::optional<Vector>& weights,
                     PerceptronOptions options, const GramOptions& gram, nb::object callback) {
  Task task(k, x, gram, matrix);
  task.gram.storage = GramOptions::Storage::recomputed;
  options.weights = vector_of(weights);
  options.threads = gram.threads;
  Running running(std::move(callback));
  options.observe = [&](const PerceptronPass& p) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = "pass";
      step["number"] = p.pass;
      step["mistakes"] = p.mistakes;
      step["support"] = p.support;
      return step;
    });
  };
  const Matrix targets = matrix_of(y);
  Perceptron p = running.run([&] { return perceptron(Gram(k, x, task.gram), targets, options); });
  nb::dict d;
  std::vector<std::int64_t> mistakes;
  for (const auto& pass : p.passes) mistakes.push_back(static_cast<std::int64_t>(pass.mistakes));
  d["converged"] = p.end == Perceptron::End::converged;
  d["mistakes"] = array_of(std::move(mistakes));
  d["alpha"] = array_of(std::move(p.alpha));
  d["coefficients"] = array_of(std::move(p.coefficients));
  d["radius"] = p.radius;
  d["margins"] = array_of(std::move(p.margins));
  d["message"] = p.message;
  return d;
}

nb::dict gradients(const Kernel& k, const Points& x, const std::optional<Square>& matrix,
                   const Square& y, const std::optional<Vector>& weights,
                   GradientDescentOptions options, const GramOptions& gram, nb::object callback) {
  options.gram = Task(k, x, gram, matrix).gram;
  options.weights = vector_of(weights);
  Running running(std::move(callback));
  options.observe = [&](const GradientPass& p) {
    return running.tell([&]() -> nb::object {
      nb::dict step;
      step["unit"] = "pass";
      step["number"] = p.pass;
      step["loss"] = p.loss;
      if (p.held_out) step["held_out"] = *p.held_out;
      return step;
    });
  };
  const Matrix targets = matrix_of(y);
  GradientDescent g = running.run([&] { return gradient_descent(k, x, targets, options); });
  if (g.end == GradientDescent::End::diverged) throw Error(g.message);
  nb::dict d;
  std::vector<double> losses;
  std::vector<double> held_out;
  for (const auto& pass : g.passes) {
    losses.push_back(pass.loss);
    if (pass.held_out) held_out.push_back(*pass.held_out);
  }
  d["converged"] =
      g.end == GradientDescent::End::converged || g.end == GradientDescent::End::early_stopped;
  d["losses"] = array_of(std::move(losses));
  d["held_out"] = array_of(std::move(held_out));
  d["alpha"] = array_of(std::move(g.alpha));
  d["step"] = g.step;
  d["largest_eigenvalue"] = g.lambda_max;
  d["message"] = g.message;
  return d;
}

// Of all prices from one decomposition.
nb::dict path_of_ridge(const Kernel& k, const Points& x, const Square& y, const Vector& lambdas,
                       const GramOptions& gram) {
  RidgeOptions options;
  options.gram = gram;
  const Matrix targets = matrix_of(y);
  Running running{nb::none()};
  const RidgePath path =
      running.run([&] { return ridge_path(k, x, targets, span_of(lambdas), options); });
  std::vector<double> training;
  std::vector<double> left_out;
  std::vector<double> freedom;
  for (const auto& e : path.entries) {
    training.push_back(e.training);
    left_out.push_back(e.leave_one_out);
    freedom.push_back(e.freedom);
  }
  nb::dict d;
  d["best"] = path.best;
  d["training"] = array_of(std::move(training));
  d["leave_one_out"] = array_of(std::move(left_out));
  d["freedom"] = array_of(std::move(freedom));
  return d;
}

// The arguments of all of them, in this order.
template <class Function, class... More>
void learner(nb::module_& m, const char* name, Function function, const More&... more) {
  m.def(name, function, nb::arg("kernel"), nb::arg("x"), nb::arg("matrix").none(), nb::arg("y"),
        nb::arg("weights").none(), nb::arg("options"), nb::arg("gram"), more...,
        nb::arg("callback").none());
}

}  // namespace

void add_learners(nb::module_& m) {
  learner(m, "svm", &support_vectors);
  learner(m, "svm_of_classes", &support_vectors_of_classes, nb::arg("probability"),
          nb::arg("seed"));
  learner(m, "ridge", &ridge_regression);
  m.def("ridge_path", &path_of_ridge, nb::arg("kernel"), nb::arg("x"), nb::arg("y"),
        nb::arg("lambdas"), nb::arg("gram"));
  learner(m, "perceptron", &perceptrons);
  learner(m, "gradient_descent", &gradients);
}

}  // namespace mercer::python
