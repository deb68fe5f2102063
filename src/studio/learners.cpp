#include <memory>
#include <mercer/error.hpp>

#include "studio/answers.hpp"

namespace mercer::studio {

namespace {

constexpr std::size_t most_passes = 20'000;

struct Learning {
  std::string learner;
  double C = 1;
  double lambda = 1;
  std::shared_ptr<const Work> work;
};

// All that can be wrong with a request is found here.
Learning learning_of(const Json& request) {
  Learning l;
  l.learner = text_in(request, "learner", 100);
  if (l.learner != "svm" && l.learner != "ridge" && l.learner != "gd" && l.learner != "perceptron")
    throw Error("learner is svm, ridge, gd or perceptron, not '" + l.learner + "'");
  l.C = number_in(request, "C", 1, 1e-6, 1e9);
  l.lambda = number_in(request, "lambda", 1, 1e-9, 1e9);
  Problem p = problem_of(request);
  p.need_classes();
  l.work = std::make_shared<const Work>(std::move(p), l.learner == "svm");
  // Values that cannot be computed are found now, not in the middle of an answer.
  std::vector<double> diagonal(l.work->problem.rows());
  l.work->K.diagonal(diagonal);
  return l;
}

}  // namespace

Json learned_at(const Json& request) {
  const Learning l = learning_of(request);
  const Work& work = *l.work;
  if (l.learner == "perceptron") {
    constexpr std::size_t most_visits = 2'000'000;
    const bool with_bound = request.contains("bound") && request["bound"] == true;
    return perceptron_at(work, count_in(request, "step", 0, 0, most_visits), with_bound);
  }
  constexpr std::size_t most_moves = 10'000'000;
  if (l.learner == "svm") return svm_at(work, l.C, count_in(request, "step", 0, 0, most_moves));
  if (l.learner == "ridge")
    return ridge_at(work, l.lambda, count_in(request, "step", 0, 0, most_passes));
  return descent_at(work, count_in(request, "step", 0, 0, most_passes));
}

std::function<void(const Tell&)> learning(const Json& request) {
  const Learning l = learning_of(request);
  if (l.learner == "svm") return [l](const Tell& tell) { learn_svm(*l.work, l.C, tell); };
  if (l.learner == "ridge") return [l](const Tell& tell) { learn_ridge(*l.work, l.lambda, tell); };
  if (l.learner == "gd") {
    const std::size_t passes = count_in(request, "passes", 500, 1, most_passes);
    return [l, passes](const Tell& tell) { learn_by_descent(*l.work, passes, tell); };
  }
  const std::size_t visits = count_in(request, "step", 0, 0, most_passes);
  return [l, visits](const Tell& tell) {
    Json frame = perceptron_at(*l.work, visits, true);
    frame["done"] = true;
    tell(frame);
  };
}

}  // namespace mercer::studio
