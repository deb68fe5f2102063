#include "model/score_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/gram.hpp>

namespace mercer::model {

namespace {

// |k(x,x)| of these points, the largest. Sparse ones may have more columns than fit into memory.
double largest_of_sparse(const Kernel& k, const Points& some) {
  GramOptions how;
  how.precision = GramOptions::Precision::float64;
  how.storage = GramOptions::Storage::recomputed;
  how.threads = 1;
  std::vector<double> K(some.rows() * some.rows());
  Gram(k, some, how).block(Rows::all(), Rows::all(), K.data(), some.rows());
  double largest = 0;
  for (std::size_t i = 0; i < some.rows(); ++i)
    largest = std::max(largest, std::abs(K[i * some.rows() + i]));
  return largest;
}

double largest_of_dense(const Kernel& k, const Points& some) {
  std::vector<double> x(some.columns());
  double largest = 0;
  for (std::size_t i = 0; i < some.rows(); ++i) {
    some.row(i, std::span(x));
    largest = std::max(largest, std::abs(k(x, x)));
  }
  return largest;
}

// The largest |k(x,x)| of up to `most` points here and there; 0 where there is none.
double largest_square(const Kernel& k, const Points& points, std::size_t most) {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < points.rows(); i += points.rows() / most + 1) some.push_back(i);
  try {
    const Points chosen = points.select(some);
    return points.is_sparse() ? largest_of_sparse(k, chosen) : largest_of_dense(k, chosen);
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace

ScoreRounding::ScoreRounding(const Model& model) : model_(model), roots_(model.scores()) {
  const Matrix& alpha = model.coefficients;
  const auto square = [&](std::size_t i, std::size_t c) { return alpha(i, c) * alpha(i, c); };
  if (model.scheme != Model::Scheme::pairs) {
    for (std::size_t i = 0; i < alpha.rows; ++i)
      for (std::size_t c = 0; c < roots_.size(); ++c) roots_[c] += square(i, c);
  } else {
    // Points of class a have their coefficients against b in column b, or b - 1 behind a.
    const std::size_t classes = model.classes.size();
    std::size_t i = 0;
    for (std::size_t a = 0; a < classes; ++a)
      for (std::size_t end = i + model.support_counts[a]; i < end; ++i)
        for (std::size_t b = 0; b < classes; ++b) {
          if (b == a) continue;
          const auto [first, second] = std::minmax(a, b);
          const std::size_t pair = first * (2 * classes - first - 1) / 2 + (second - first - 1);
          roots_[pair] += square(i, b < a ? b : b - 1);
        }
  }
  for (double& r : roots_) r = std::sqrt(r);
  constexpr std::size_t some = 16;
  support_ = largest_square(*model.kernel, model.support, some);
}

bool ScoreRounding::matters(const Points& x, std::span<const double> scores) const {
  constexpr double float_share = 1.2e-7;
  constexpr double too_much = 1e-3;
  constexpr std::size_t some = 8;
  const std::size_t n = x.rows();
  const std::size_t columns = roots_.size();
  if (n == 0) return false;
  const double size = float_share * std::sqrt(support_ * largest_square(*model_.kernel, x, some));
  if (!(size > 0)) return false;
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double f = scores[i * columns + c];
      sum += f;
      squares += f * f;
    }
    const double mean = sum / static_cast<double>(n);
    const double usual = squares / static_cast<double>(n);
    const bool quantity = model_.task == Model::Task::regression && n > 1;
    const double spread = quantity ? std::max(0.0, usual - mean * mean) : usual;
    if (size * roots_[c] > too_much * std::sqrt(spread)) return true;
  }
  return false;
}

}  // namespace mercer::model
