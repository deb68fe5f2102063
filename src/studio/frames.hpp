// What the page draws of a learner at work: α, the scores behind the points, who is mistaken.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "studio/problem.hpp"

namespace mercer::studio {

// What all steps of a learner share.
struct Work {
  Work(Problem p, bool pairs);
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  Problem problem;
  Matrix y;  // a column for each score; pairs have none of their own
  Gram K;
  Model decision;
  Field field;
};

// Sums Σ β_i k(x_i, ·) + b, a column of β for each score.
struct Rule {
  Matrix beta;
  std::vector<double> b;

  static Rule zero(const Work& work);
};

// {"step": …, "beta": [[…], …], "scores": ["1 against -1", …], "offsets": […], "mistakes": …,
// "field": …}: the points that the rule says wrong are mistakes.
Json frame_of(const Work& work, const Rule& rule, std::size_t step);

// Steps to look at on the way to the last one: all of the first ones, then fewer and fewer.
std::vector<std::size_t> schedule_to(std::size_t last);

// --- the learners. Each has its state after some steps, and its way to the end, told in frames; it
// ends early when `tell` returns false.

using Tell = std::function<bool(const Json& frame)>;

// Visits of one example each. With "bound": true in the request also how many mistakes there can
// be, and how many visits until there are no more.
Json perceptron_at(const Work& work, std::size_t visits, bool with_bound);

// Passes over all examples.
Json descent_at(const Work& work, std::size_t passes);
void learn_by_descent(const Work& work, std::size_t passes, const Tell& tell);

// Moves of two α at a time, of each machine where there are several.
Json svm_at(const Work& work, double C, std::size_t moves);
void learn_svm(const Work& work, double C, const Tell& tell);

// Iterations of conjugate gradients; the last step is the solution itself.
Json ridge_at(const Work& work, double lambda, std::size_t iterations);
void learn_ridge(const Work& work, double lambda, const Tell& tell);

}  // namespace mercer::studio
