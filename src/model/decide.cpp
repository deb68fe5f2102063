// From scores to classes and probabilities.
#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/model.hpp>

namespace mercer {

namespace {

void check_width(const Model& model, const Matrix& scores) {
  if (scores.columns != model.scores())
    throw Error(std::to_string(scores.columns) + " scores per point, and the model has " +
                std::to_string(model.scores()));
}

std::int32_t place_of_largest(std::span<const double> values) {
  return static_cast<std::int32_t>(std::ranges::max_element(values) - values.begin());
}

std::int32_t class_by_votes(std::span<const double> scores, std::vector<double>& votes) {
  std::ranges::fill(votes, 0.0);
  std::size_t pair = 0;
  for (std::size_t a = 0; a < votes.size(); ++a)
    for (std::size_t b = a + 1; b < votes.size(); ++b) ++votes[scores[pair++] > 0 ? a : b];
  return place_of_largest(votes);
}

// 1 / (1 + e^t), without overflow on either side.
double sigmoid(double t) {
  if (t >= 0) {
    const double e = std::exp(-t);
    return e / (1 + e);
  }
  return 1 / (1 + std::exp(t));
}

}  // namespace

std::vector<std::int32_t> classes_by_score(const Model& model, const Matrix& scores) {
  check_width(model, scores);
  std::vector<std::int32_t> classes;
  if (model.task == Model::Task::regression) return classes;
  classes.reserve(scores.rows);
  std::vector<double> votes(model.classes.size());
  for (std::size_t i = 0; i < scores.rows; ++i) switch (model.scheme) {
      case Model::Scheme::one:
        classes.push_back(scores(i, 0) > 0 ? 1 : 0);
        break;
      case Model::Scheme::per_class:
        classes.push_back(place_of_largest(scores.row(i)));
        break;
      case Model::Scheme::pairs:
        classes.push_back(class_by_votes(scores.row(i), votes));
        break;
    }
  return classes;
}

Matrix probabilities_by_score(const Model& model, const Matrix& scores) {
  check_width(model, scores);
  Matrix p;
  if (model.calibration.empty()) return p;
  p.rows = scores.rows;
  p.columns = model.classes.size();
  p.values.resize(p.rows * p.columns);
  const auto& sigmoids = model.calibration;
  for (std::size_t i = 0; i < p.rows; ++i) {
    if (model.scheme == Model::Scheme::one) {
      const double t = sigmoids[0].slope * scores(i, 0) + sigmoids[0].offset;
      p(i, 0) = sigmoid(-t);  // 1 - p without cancellation
      p(i, 1) = sigmoid(t);
      continue;
    }
    double sum = 0;
    for (std::size_t c = 0; c < p.columns; ++c) {
      p(i, c) = sigmoid(sigmoids[c].slope * scores(i, c) + sigmoids[c].offset);
      sum += p(i, c);
    }
    // Where all are too small to be numbers, nothing is known.
    for (std::size_t c = 0; c < p.columns; ++c)
      p(i, c) = sum > 0 ? p(i, c) / sum : 1 / static_cast<double>(p.columns);
  }
  return p;
}

}  // namespace mercer
