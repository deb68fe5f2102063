// How well scores rank: for every threshold, the share of a class that is above it against the
// share of the others.
#pragma once

#include <mercer/model.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "picture/write.hpp"

namespace mercer::picture {

struct RocCurve {
  std::string name;
  double auc = 0;
  std::vector<Spot> corners;  // (false positive rate, true positive rate), from (0, 0) to (1, 1)
};

// Equal merits are one step. Nothing where one of the sides is empty.
std::optional<RocCurve> roc_curve(std::span<const double> merits, std::span<const bool> positive);

struct Roc {
  std::string title;
  std::string note;
  std::vector<RocCurve> curves;
};

// Of two classes the curve of the second, of more one for each. Throws Error.
Roc roc(const Model& model, const Table& table, const PredictOptions& options);

void draw(Canvas& canvas, const Roc& r);

}  // namespace mercer::picture
