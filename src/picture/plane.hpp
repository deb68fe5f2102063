// A plane through the space of the points, on which a picture looks at them: x = origin + s u + t
// v.
#pragma once

#include <mercer/encoding.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "picture/axes.hpp"

namespace mercer::picture {

struct Plane {
  std::vector<double> origin;
  std::vector<double> u;  // u and v are orthogonal, of length 1
  std::vector<double> v;
  Axis x;
  Axis y;
  // Columns that are not shown and the value they are held at, as the file would write it.
  std::vector<std::pair<std::string, std::string>> held;
  std::string note;  // one line: what is not shown

  [[nodiscard]] Spot of(std::span<const double> point) const;  // (s, t)
};

// By two columns, by name or by number from 1. All others are held: numbers at their median over
// the table, categories at the most frequent one. Throws Error where there is no such column of
// numbers.
Plane plane_of_columns(const Encoding& encoding, const Table& table,
                       const std::vector<std::string>& columns);
// Through the mean, along the two directions in which the points vary most.
Plane plane_of_components(const Table& table);
// The columns given; else the only two; else components. Throws Error for points on a line.
Plane plane_of(const Encoding& encoding, const Table& table,
               const std::vector<std::string>& columns);

// The leading principal components: rows are directions of length 1, with their shares of the
// variance. Of many rows a part, evenly taken. The sign is such that the largest entry is positive.
struct Components {
  std::vector<double> mean;
  std::vector<std::vector<double>> directions;
  std::vector<double> shares;
};
Components components_of(const Points& points, std::size_t count);

}  // namespace mercer::picture
