#include "select/truth.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "data/cell.hpp"

namespace mercer::select {

ClassFinder::ClassFinder(const std::vector<std::string>& names) {
  for (std::size_t c = 0; c < names.size(); ++c) {
    numbers_.emplace(names[c], static_cast<std::int32_t>(c));
    if (const auto value = data::number_in(names[c]))
      numbers_.emplace(shortest(*value), static_cast<std::int32_t>(c));
  }
}

std::optional<std::int32_t> ClassFinder::operator()(const std::string& text) const {
  auto at = numbers_.find(text);
  if (at == numbers_.end())
    if (const auto value = data::number_in(text)) at = numbers_.find(shortest(*value));
  if (at == numbers_.end()) return std::nullopt;
  return at->second;
}

Matrix merits_of(const Model& model, const Prediction& p) {
  const Matrix& scores = p.scores;
  if (model.scheme != Model::Scheme::pairs) return scores;
  if (!model.calibration.empty()) return p.probabilities;
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
      merits(i, c) += sums[c] / (3 * (std::abs(sums[c]) + 1));
  }
  return merits;
}

}  // namespace mercer::select
