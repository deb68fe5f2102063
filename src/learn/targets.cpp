#include "learn/targets.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

namespace mercer::learn {

void check_targets(std::size_t n, const Matrix& y) {
  if (n == 0) throw Error("there are no examples to learn from");
  if (y.rows != n || y.values.size() != y.rows * y.columns)
    throw Error("there are " + std::to_string(n) + " examples, but " + std::to_string(y.rows) +
                " labels");
  if (y.columns == 0) throw Error("labels without a column");
  for (std::size_t i = 0; i < y.values.size(); ++i)
    if (!std::isfinite(y.values[i]))
      throw Error("label " + std::to_string(i / y.columns + 1) + " is not a finite number");
}

void check_signs(const Matrix& y) {
  for (std::size_t i = 0; i < y.values.size(); ++i)
    if (y.values[i] != 1 && y.values[i] != -1)
      throw Error("label " + std::to_string(i / y.columns + 1) +
                  " is neither +1 nor -1: use signs_of, or one column per class");
}

void check_weights(std::size_t n, std::span<const double> weights) {
  if (weights.empty()) return;
  if (weights.size() != n)
    throw Error("there are " + std::to_string(n) + " examples, but " +
                std::to_string(weights.size()) + " weights");
  for (std::size_t i = 0; i < n; ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw Error("weight " + std::to_string(i + 1) + " is not a number >= 0");
  if (std::ranges::none_of(weights, [](double w) { return w > 0; }))
    throw Error("all weights are 0: nothing to learn from");
}

void check_lambda(double lambda) {
  if (!(lambda > 0) || !std::isfinite(lambda))
    throw Error("lambda of ridge regression is a number > 0");
}

void check_square(const Gram& K) {
  if (K.rows() != K.columns())
    throw Error("learning needs the Gram matrix of the examples with themselves, not one of " +
                std::to_string(K.rows()) + " by " + std::to_string(K.columns()));
}

}  // namespace mercer::learn
