// Ridge regression: the solution of a linear system, and on the way there conjugate gradients.
#include <mercer/ridge.hpp>

#include "studio/frames.hpp"

namespace mercer::studio {

namespace {

RidgeOptions options_for(double lambda) {
  RidgeOptions how;
  how.lambda = lambda;
  how.gram = gram_options();
  return how;
}

Json frame_of(const Work& work, Ridge r, std::size_t step) {
  const std::size_t scores = r.alpha.columns;
  Json frame = frame_of(work, Rule{std::move(r.alpha), std::vector<double>(scores)}, step);
  frame["residual"] = r.residual;
  frame["message"] = r.message;
  return frame;
}

// So many iterations without help by a sample of the points, whose way one can follow.
Ridge after(const Work& work, double lambda, std::size_t iterations) {
  RidgeOptions how = options_for(lambda);
  how.solver = RidgeOptions::Solver::gradients;
  how.landmarks = 1;
  how.iterations = iterations;
  return ridge(*work.problem.kernel, work.problem.x, work.y, how);
}

// Iterations until the solution is as good as it gets; none where there is no least value to go to.
std::size_t iterations_of(const Work& work, double lambda) {
  constexpr std::size_t most = 200;
  const Ridge r = after(work, lambda, most);
  return r.positive_definite ? r.iterations : 0;
}

}  // namespace

Json ridge_at(const Work& work, double lambda, std::size_t iterations) {
  if (iterations == 0) return frame_of(work, Rule::zero(work), 0);
  const std::size_t last = iterations_of(work, lambda) + 1;
  Json frame;
  if (iterations < last) {
    frame = frame_of(work, after(work, lambda, iterations), iterations);
    frame["message"] = "";  // it has not arrived: that is the point
  } else {
    frame = frame_of(work, ridge(*work.problem.kernel, work.problem.x, work.y, options_for(lambda)),
                     last);
  }
  frame["ended"] = iterations >= last;
  return frame;
}

void learn_ridge(const Work& work, double lambda, const Tell& tell) {
  RidgeOptions how = options_for(lambda);
  how.observe = [&](std::size_t iteration, double residual) {
    return tell({{"progress", {{"iteration", iteration}, {"residual", residual}}}});
  };
  Ridge r = ridge(*work.problem.kernel, work.problem.x, work.y, how);
  if (r.interrupted) return;
  const bool converged = r.converged;
  const std::size_t last = iterations_of(work, lambda) + 1;
  Json frame = frame_of(work, std::move(r), last);
  frame["done"] = true;
  frame["end"] = converged ? "converged" : "not converged";
  frame["schedule"] = schedule_to(last);
  tell(frame);
}

}  // namespace mercer::studio
