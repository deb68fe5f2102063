#include "learn/large_perceptron.hpp"

#include <algorithm>

namespace mercer::learn {

BasisRows::BasisRows(const Points& x, const scale::Basis& basis, const scale::Factor& factor,
                     const GramOptions& how)
    : x_(x), basis_(basis), factor_(factor), how_(how) {
  how_.storage = GramOptions::Storage::recomputed;
  const double bytes =
      static_cast<double>(x.rows()) * static_cast<double>(basis.size()) * sizeof(double);
  if (bytes > static_cast<double>(how.memory) / 2) return;
  Matrix all = Matrix::zeros(x.rows(), basis.size());
  constexpr std::size_t together = 4096;
  for (std::size_t begin = 0; begin < x.rows(); begin += together) {
    const Matrix some = computed(x.part(begin, std::min(begin + together, x.rows())), begin);
    std::ranges::copy(some.values,
                      all.values.begin() + static_cast<std::ptrdiff_t>(begin * all.columns));
  }
  kept_ = std::move(all);
}

Matrix BasisRows::computed(const Points& x, std::size_t first) const {
  Matrix K;
  try {
    K = basis_.values(x, how_);
  } catch (const GramError& error) {
    throw EvaluationError("row " + std::to_string(first + error.row() + 1) + " and centre " +
                          std::to_string(error.column() + 1) + ": " + error.why());
  }
  Matrix turned = Matrix::zeros(K.columns, K.rows);
  for (std::size_t i = 0; i < K.rows; ++i)
    for (std::size_t j = 0; j < K.columns; ++j) turned(j, i) = K(i, j);
  factor_.lower(turned);
  for (std::size_t i = 0; i < K.rows; ++i)
    for (std::size_t j = 0; j < K.columns; ++j) K(i, j) = turned(j, i);
  return K;
}

Matrix BasisRows::of(std::span<const std::size_t> examples) const {
  if (kept_.rows == 0) {
    // A range stays where it is.
    const std::size_t first = examples.front();
    bool range = true;
    for (std::size_t i = 0; i < examples.size(); ++i) range = range && examples[i] == first + i;
    return computed(range ? x_.part(first, first + examples.size()) : x_.select(examples), first);
  }
  Matrix some{examples.size(), kept_.columns, {}, {}};
  some.values.reserve(examples.size() * kept_.columns);
  for (const std::size_t i : examples) {
    const auto row = kept_.row(i);
    some.values.insert(some.values.end(), row.begin(), row.end());
  }
  return some;
}

}  // namespace mercer::learn
