#include <algorithm>
#include <cmath>
#include <mercer/calibration.hpp>
#include <mercer/error.hpp>
#include <vector>

namespace mercer {

namespace {

struct Example {
  double f = 0;
  double target = 0;
  double weight = 0;
};

// Value, gradient and second derivatives of the loss at slope and offset.
struct Loss {
  double value = 0;
  double by_slope = 0;
  double by_offset = 0;
  double slope_slope = 0;
  double slope_offset = 0;
  double offset_offset = 0;
};

Loss loss_at(std::span<const Example> examples, const Model::Sigmoid& at) {
  Loss loss;
  for (const auto& e : examples) {
    const double s = at.slope * e.f + at.offset;
    const double small = std::exp(-std::abs(s));
    const double p = s >= 0 ? small / (1 + small) : 1 / (1 + small);
    // -t log p - (1 - t) log(1 - p), without a logarithm of what was rounded to 0
    loss.value += e.weight * (std::log1p(small) + (s >= 0 ? e.target * s : (e.target - 1) * s));
    const double first = e.weight * (e.target - p);
    const double second = e.weight * small / ((1 + small) * (1 + small));
    loss.by_slope += first * e.f;
    loss.by_offset += first;
    loss.slope_slope += second * e.f * e.f;
    loss.slope_offset += second * e.f;
    loss.offset_offset += second;
  }
  return loss;
}

double steepness(const Loss& loss) {
  return std::max(std::abs(loss.by_slope), std::abs(loss.by_offset));
}

// Whether the loss falls as Armijo asks; or, where it is too flat for its digits, the gradient.
bool better(const Loss& next, const Loss& now, double expected) {
  constexpr double share = 1e-4;
  constexpr double rounding = 1e-12;
  return next.value < now.value + share * expected ||
         (next.value <= now.value + rounding * now.value && steepness(next) < steepness(now) / 2);
}

// `total`: the weight of all examples.
Model::Sigmoid minimised(std::span<const Example> examples, Model::Sigmoid at, double total) {
  constexpr int most_steps = 200;
  constexpr double enough = 1e-13;  // of the gradient, per weight
  constexpr double shift = 1e-12;   // of the second derivatives, so that they can be divided by
  constexpr int most_halves = 30;   // of a step
  Loss loss = loss_at(examples, at);
  for (int step = 0; step < most_steps; ++step) {
    if (steepness(loss) <= enough * total) break;
    const double aa = loss.slope_slope + shift * total;
    const double bb = loss.offset_offset + shift * total;
    const double determinant = aa * bb - loss.slope_offset * loss.slope_offset;
    const Model::Sigmoid way{
        (loss.slope_offset * loss.by_offset - bb * loss.by_slope) / determinant,
        (loss.slope_offset * loss.by_slope - aa * loss.by_offset) / determinant};
    const double descent = loss.by_slope * way.slope + loss.by_offset * way.offset;
    bool moved = false;
    double length = 1;
    for (int half = 0; !moved && half < most_halves; ++half, length /= 2) {
      const Model::Sigmoid next{at.slope + length * way.slope, at.offset + length * way.offset};
      const Loss there = loss_at(examples, next);
      moved = better(there, loss, length * descent);
      if (moved) {
        at = next;
        loss = there;
      }
    }
    if (!moved) break;  // rounding is all that is left
  }
  return at;
}

void check(std::span<const double> scores, std::span<const char> positive,
           std::span<const double> weights) {
  if (positive.size() != scores.size() || (!weights.empty() && weights.size() != scores.size()))
    throw Error("scores, sides and weights for a sigmoid are of different lengths");
  if (!std::ranges::all_of(scores, [](double f) { return std::isfinite(f); }))
    throw Error("a score for a sigmoid is not finite");
  if (!std::ranges::all_of(weights, [](double w) { return std::isfinite(w) && w >= 0; }))
    throw Error("a weight for a sigmoid is negative, or not finite");
}

}  // namespace

Model::Sigmoid fit_sigmoid(std::span<const double> scores, std::span<const char> positive,
                           std::span<const double> weights) {
  check(scores, positive, weights);
  std::vector<Example> examples;
  double above = 0;
  double below = 0;
  double largest = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    if (w == 0) continue;
    const bool side = positive[i] != 0;
    (side ? above : below) += w;
    largest = std::max(largest, std::abs(scores[i]));
    examples.push_back({scores[i], side ? 1.0 : 0.0, w});
  }
  const double total = above + below;
  if (!std::isfinite(total)) throw Error("the weights for a sigmoid are too large to be added");
  const Model::Sigmoid constant{0, std::log((below + 1) / (above + 1))};
  if (total == 0 || largest == 0) return constant;

  // Scores of mean 0 and deviation 1 make the equations well behaved, however large or small the
  // scores are; first none above 1, so that nothing overflows.
  double mean = 0;
  for (auto& e : examples) {
    e.f /= largest;
    e.target = e.target > 0 ? (above + 1) / (above + 2) : 1 / (below + 2);
    mean += e.weight / total * e.f;
  }
  double variance = 0;
  for (const auto& e : examples) variance += e.weight / total * (e.f - mean) * (e.f - mean);
  const double deviation = std::sqrt(variance);
  constexpr double rounding = 1e-10;  // what differs by no more is the same
  if (deviation <= rounding) return constant;
  for (auto& e : examples) e.f = (e.f - mean) / deviation;

  const Model::Sigmoid found = minimised(examples, constant, total);
  const Model::Sigmoid result{found.slope / deviation / largest,
                              found.offset - found.slope * mean / deviation};
  return std::isfinite(result.slope) && std::isfinite(result.offset) ? result : constant;
}

}  // namespace mercer
