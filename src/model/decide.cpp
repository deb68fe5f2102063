// From scores to classes and probabilities.
#include "model/decide.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/model.hpp>

#include "model/coupling.hpp"

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

// What each scheme makes of t = slope f + offset of the scores of a row.
class Probabilities {
 public:
  explicit Probabilities(const Model& model)
      : model_(model),
        t_(model.scores()),
        coupling_(model.scheme == Model::Scheme::pairs ? model.classes.size() : 0) {}

  void row(std::span<const double> scores, std::span<double> p) {
    for (std::size_t s = 0; s < t_.size(); ++s)
      t_[s] = model_.calibration[s].slope * scores[s] + model_.calibration[s].offset;
    switch (model_.scheme) {
      case Model::Scheme::one:
        p[0] = sigmoid(-t_[0]);  // 1 - p without cancellation
        p[1] = sigmoid(t_[0]);
        break;
      case Model::Scheme::per_class:
        per_class(p);
        break;
      case Model::Scheme::pairs:
        for (double& t : t_) t = sigmoid(t);
        coupling_.run(t_, p);
        break;
    }
  }

 private:
  void per_class(std::span<double> p) const {
    double sum = 0;
    for (std::size_t c = 0; c < p.size(); ++c) {
      p[c] = sigmoid(t_[c]);
      sum += p[c];
    }
    // Where all are too small to be numbers, nothing is known.
    for (double& v : p) v = sum > 0 ? v / sum : 1 / static_cast<double>(p.size());
  }

  const Model& model_;
  std::vector<double> t_;
  model::Coupling coupling_;
};

}  // namespace

std::vector<std::int32_t> model::most_probable(const Matrix& probabilities) {
  std::vector<std::int32_t> classes;
  classes.reserve(probabilities.rows);
  for (std::size_t i = 0; i < probabilities.rows; ++i)
    classes.push_back(place_of_largest(probabilities.row(i)));
  return classes;
}

std::vector<std::int32_t> classes_by_score(const Model& model, const Matrix& scores) {
  check_width(model, scores);
  std::vector<std::int32_t> classes;
  if (model.task == Model::Task::regression) return classes;
  if (!model.calibration.empty())
    return model::most_probable(probabilities_by_score(model, scores));
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
  if (model.calibration.empty()) return {};
  Matrix p = Matrix::zeros(scores.rows, model.classes.size());
  Probabilities of(model);
  for (std::size_t i = 0; i < p.rows; ++i)
    of.row(scores.row(i), std::span(p.values).subspan(i * p.columns, p.columns));
  return p;
}

double model::merit_of_votes(double votes, double sum) {
  return votes + sum / (3 * (std::abs(sum) + 1));
}

Matrix merits(const Model& model, const Prediction& prediction) {
  const Matrix& scores = prediction.scores;
  if (model.scheme != Model::Scheme::pairs) return scores;
  if (!model.calibration.empty()) return prediction.probabilities;
  const std::size_t classes = model.classes.size();
  Matrix merits = Matrix::zeros(scores.rows, classes);
  std::vector<double> sums(classes);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    std::ranges::fill(sums, 0.0);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < classes; ++a)
      for (std::size_t b = a + 1; b < classes; ++b, ++pair) {
        const double f = scores(i, pair);
        merits(i, f > 0 ? a : b) += 1;
        sums[a] += f;
        sums[b] -= f;
      }
    for (std::size_t c = 0; c < classes; ++c)
      merits(i, c) = model::merit_of_votes(merits(i, c), sums[c]);
  }
  return merits;
}

}  // namespace mercer
