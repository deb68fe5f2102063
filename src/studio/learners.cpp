#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mercer/error.hpp>
#include <mercer/gradient_descent.hpp>
#include <mercer/ridge.hpp>
#include <mercer/svm.hpp>

#include "studio/answers.hpp"

namespace mercer::studio {

namespace {

Matrix column(const std::vector<double>& y) { return {y.size(), 1, y, {}}; }

// On the training points themselves: y_i f(x_i) <= 0.
std::size_t mistakes_of(const Gram& K, const std::vector<double>& beta, double b,
                        const std::vector<double>& y) {
  std::vector<double> scores(y.size());
  K.apply(beta, 1, scores);
  std::size_t count = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] * (scores[i] + b) <= 0) ++count;
  return count;
}

struct Work {
  explicit Work(Problem p) : problem(std::move(p)), K(*problem.kernel, problem.x, gram_options()) {}
  Problem problem;
  Gram K;
};

Json frame_of(const Work& work, const Field& field, const std::vector<double>& beta, double b) {
  return {{"beta", beta},
          {"offset", b},
          {"mistakes", mistakes_of(work.K, beta, b, work.problem.y)},
          {"field", field.of(beta, b)}};
}

const char* name_of(Svm::End end) {
  switch (end) {
    case Svm::End::converged:
      return "converged";
    case Svm::End::moves:
      return "moves";
    case Svm::End::seconds:
      return "seconds";
    case Svm::End::interrupted:
      return "interrupted";
    case Svm::End::stalled:
      return "stalled";
    case Svm::End::not_separable:
      break;
  }
  return "not separable";
}

void learn_svm(const Work& work, const SvmOptions& options, const Tell& tell) {
  SvmOptions how = options;
  how.threads = 1;
  how.observe = [&](const SvmProgress& p) {
    return tell({{"progress", {{"moves", p.moves}, {"violation", p.violation}}}});
  };
  const Svm s = svm(work.K, work.problem.y, how);
  if (s.end == Svm::End::interrupted) return;
  const Field field(work.problem);
  Json frame = frame_of(work, field, s.coefficients, s.offset);
  frame["done"] = true;
  frame["end"] = name_of(s.end);
  frame["support"] = s.support;
  frame["bounded"] = s.bounded;
  frame["margin"] = s.margin ? Json(*s.margin) : Json(nullptr);
  frame["primal"] = s.primal;
  frame["dual"] = s.dual;
  frame["message"] = s.message;
  tell(frame);
}

void learn_ridge(const Work& work, double lambda, const Tell& tell) {
  RidgeOptions how;
  how.lambda = lambda;
  how.gram = gram_options();
  how.observe = [&](std::size_t iteration, double residual) {
    return tell({{"progress", {{"iteration", iteration}, {"residual", residual}}}});
  };
  const Ridge r = ridge(*work.problem.kernel, work.problem.x, column(work.problem.y), how);
  if (r.interrupted) return;
  const Field field(work.problem);
  Json frame = frame_of(work, field, r.alpha.values, 0);
  frame["done"] = true;
  frame["end"] = r.converged ? "converged" : "not converged";
  frame["message"] = r.message;
  tell(frame);
}

void learn_by_descent(const Work& work, std::size_t passes, std::optional<double> step,
                      const Tell& tell) {
  using Clock = std::chrono::steady_clock;
  const Field field(work.problem);
  GradientDescentOptions how;
  how.passes = passes;
  how.step = step;
  how.tolerance = 0;
  how.gram = gram_options();
  std::vector<double> beta(work.problem.rows());
  std::vector<double> losses;
  auto shown = Clock::time_point();
  bool go_on = true;
  how.each_step = [&](const Matrix& alpha) { beta = alpha.values; };
  how.observe = [&](const GradientPass& p) {
    losses.push_back(p.loss);
    // As often as an eye can follow; those in between are told with the next one.
    constexpr auto pause = std::chrono::milliseconds(40);
    if (Clock::now() - shown < pause) return true;
    shown = Clock::now();
    Json frame = frame_of(work, field, beta, 0);
    frame["pass"] = p.pass;
    frame["losses"] = losses;
    losses.clear();
    go_on = tell(frame);
    return go_on;
  };
  const GradientDescent g =
      gradient_descent(*work.problem.kernel, work.problem.x, column(work.problem.y), how);
  if (!go_on) return;
  Json frame = frame_of(work, field, g.alpha.values, 0);
  frame["done"] = true;
  frame["pass"] = g.passes.empty() ? 0 : g.passes.back().pass;
  frame["losses"] = losses;
  frame["initial_loss"] = g.initial_loss;
  frame["step"] = g.step;
  frame["end"] = g.end == GradientDescent::End::diverged ? "diverged" : "passes";
  frame["message"] = g.message;
  tell(frame);
}

}  // namespace

std::function<void(const Tell&)> learning(const Json& request) {
  Problem p = problem_of(request);
  p.need_both();
  const std::string learner = text_in(request, "learner", 100);
  const auto work = std::make_shared<const Work>(std::move(p));
  // Values that cannot be computed are found now, not in the middle of an answer.
  std::vector<double> diagonal(work->problem.rows());
  work->K.diagonal(diagonal);
  if (learner == "svm") {
    SvmOptions how;
    how.C = number_in(request, "C", 1, 1e-6, 1e9);
    how.seconds = 10;
    if (request.contains("hard") && request["hard"] == true)
      how.problem = SvmOptions::Problem::hard_margin;
    return [work, how](const Tell& tell) { learn_svm(*work, how, tell); };
  }
  if (learner == "ridge") {
    const double lambda = number_in(request, "lambda", 1, 1e-9, 1e9);
    return [work, lambda](const Tell& tell) { learn_ridge(*work, lambda, tell); };
  }
  if (learner == "gd") {
    const std::size_t passes = count_in(request, "passes", 500, 1, 20'000);
    std::optional<double> step;
    if (request.contains("step")) step = number_in(request, "step", 1, 1e-12, 1e6);
    return [work, passes, step](const Tell& tell) { learn_by_descent(*work, passes, step, tell); };
  }
  throw Error("learner is svm, ridge or gd, not '" + learner + "'");
}

}  // namespace mercer::studio
