// Gradient descent on the squared loss, pass by pass.
#include <mercer/gradient_descent.hpp>

#include <chrono>

#include "studio/frames.hpp"

namespace mercer::studio {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto most_time = std::chrono::seconds(20);

const char* name_of(GradientDescent::End end) {
  switch (end) {
    case GradientDescent::End::converged:
    case GradientDescent::End::early_stopped:
      return "converged";
    case GradientDescent::End::diverged:
      return "diverged";
    case GradientDescent::End::interrupted:
      return "seconds";
    case GradientDescent::End::passes:
      break;
  }
  return "passes";
}

Rule rule_of(Matrix alpha) {
  std::vector<double> b(alpha.columns);
  return {std::move(alpha), std::move(b)};
}

Json last_frame(const Work& work, GradientDescent g) {
  Json frame = frame_of(work, rule_of(std::move(g.alpha)), g.passes.size());
  frame["loss"] = g.passes.empty() ? g.initial_loss : g.passes.back().loss;
  frame["initial_loss"] = g.initial_loss;
  frame["rate"] = g.step;
  frame["end"] = name_of(g.end);
  frame["message"] = g.message;
  return frame;
}

}  // namespace

Json descent_at(const Work& work, std::size_t passes) {
  if (passes == 0) {
    Json frame = frame_of(work, Rule::zero(work), 0);
    double loss = 0;
    for (const double y : work.y.values) loss += y * y;
    frame["loss"] = loss;
    return frame;
  }
  GradientDescentOptions how;
  how.passes = passes;
  how.gram = gram_options();
  const auto begin = Clock::now();
  how.observe = [&](const GradientPass&) { return Clock::now() - begin < most_time; };
  GradientDescent g = gradient_descent(*work.problem.kernel, work.problem.x, work.y, how);
  const bool ended = g.end != GradientDescent::End::passes;
  Json frame = last_frame(work, std::move(g));
  frame["ended"] = ended;
  return frame;
}

void learn_by_descent(const Work& work, std::size_t passes, const Tell& tell) {
  GradientDescentOptions how;
  how.passes = passes;
  how.gram = gram_options();
  Matrix alpha = Rule::zero(work).beta;
  std::vector<double> losses;
  const auto begin = Clock::now();
  auto shown = begin;
  std::size_t next = 1;
  bool go_on = true;
  how.each_step = [&](const Matrix& now) { alpha = now; };
  how.observe = [&](const GradientPass& p) {
    losses.push_back(p.loss);
    if (Clock::now() - begin >= most_time) return false;
    // Most happens at the beginning: strides grow, but no wait is long. Those in between are told
    // with the next one.
    constexpr auto pause = std::chrono::milliseconds(100);
    if (p.pass < next && Clock::now() - shown < pause) return true;
    shown = Clock::now();
    next = p.pass + 1 + p.pass / 6;
    Json frame = frame_of(work, rule_of(alpha), p.pass);
    frame["loss"] = p.loss;
    frame["losses"] = losses;
    losses.clear();
    go_on = tell(frame);
    return go_on;
  };
  GradientDescent g = gradient_descent(*work.problem.kernel, work.problem.x, work.y, how);
  if (!go_on) return;
  Json frame = last_frame(work, std::move(g));
  frame["done"] = true;
  frame["losses"] = losses;
  tell(frame);
}

}  // namespace mercer::studio
