// Sparse points of a large dimension, seen in the columns that occur in them.
//
// A kernel that ignores coordinates which are 0 in both points has the same values without them:
// the work and the memory then follow the entries, whatever the dimension.
#pragma once

#include <cstdint>
#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <vector>

namespace mercer::model {

class UsedColumns {
 public:
  // Those of these points, which are sparse.
  explicit UsedColumns(const Points& points);

  // The points with these columns first, and behind them those that only they have; sparse, too.
  [[nodiscard]] Points seen(const Points& points) const;

 private:
  std::vector<std::int32_t> columns_;  // ascending
};

// Whether that is worth it, and allowed. Throws Error where it would be needed and is not allowed.
bool in_used_columns(const Kernel& kernel, const Points& support);

}  // namespace mercer::model
