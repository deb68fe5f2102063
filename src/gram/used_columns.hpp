// Sparse points of a large dimension, seen in the columns that occur in them.
//
// A kernel that ignores coordinates which are 0 in both points has the same values without them:
// the work and the memory then follow the entries, whatever the dimension.
#pragma once

#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <span>

namespace mercer::gram {

// Whether that is worth it, and allowed. Throws Error where it would be needed and is not allowed.
bool in_used_columns(std::span<const Kernel> kernels, const Points& x, const Points& z);

struct InUsedColumns {
  Points x;
  Points z;
};
// Both sparse. The same coordinates have the same numbers in both; where the points are the same,
// the answers are.
InUsedColumns in_used_columns(const Points& x, const Points& z, bool same);

}  // namespace mercer::gram
