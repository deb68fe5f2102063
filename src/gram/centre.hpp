// Where distances are seen from: near the points, so that less is lost in rounding.
#pragma once

#include <mercer/points.hpp>
#include <vector>

namespace mercer::gram {

// The mean of each column, of some thousand rows where there are more.
std::vector<double> means(const Points& points);

// In columns where one number stands in many rows (the background of pictures, categories, grades),
// that number instead: seen from there these rows have 0 in the column, which need not be looked at
// (marks.hpp).
struct Frequent {
  std::vector<double> centre;
  double looked_at = 1;  // the share of coordinates that are, about; 1 where it is no gain
};
Frequent frequent(const Points& points, const std::vector<double>& means);

}  // namespace mercer::gram
