#include <algorithm>
#include <mercer/error.hpp>
#include <mercer/mapped.hpp>

#include "base/parallel.hpp"
#include "kernel/evaluate.hpp"
#include "model/images.hpp"

namespace mercer {

Points model::images(const FeatureMap& map, const Points& x, unsigned threads, std::size_t before) {
  if (x.columns() != map.dimension)
    throw Error("the feature map is for points of dimension " + std::to_string(map.dimension) +
                ", and these have " + std::to_string(x.columns()));
  const std::size_t features = map.coordinates.size();
  std::vector<double> values(x.rows() * features);
  constexpr std::size_t piece = 64;
  parallel_for((x.rows() + piece - 1) / piece, threads, [&](std::size_t task) {
    std::vector<double> point(x.columns());
    for (std::size_t i = task * piece; i < std::min(x.rows(), (task + 1) * piece); ++i) {
      x.row(i, std::span(point));
      for (std::size_t j = 0; j < features; ++j) {
        try {
          values[i * features + j] =
              algebra::evaluate(map.coordinates[j].expression(), point, point);
        } catch (const EvaluationError& error) {
          throw EvaluationError("row " + std::to_string(before + i + 1) + ", feature " +
                                map.text(j) + ": " + error.what());
        }
      }
    }
  });
  return Points::own(std::move(values), x.rows(), features);
}

Points mapped(const FeatureMap& map, const Points& x, unsigned threads) {
  return model::images(map, x, threads, 0);
}

}  // namespace mercer
