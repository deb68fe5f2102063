// Points in a checksum: their numbers, and where those that are sparse have them.
#pragma once

#include <mercer/points.hpp>

#include "base/checksum.hpp"

namespace mercer::data {

void add(Checksum& sum, const Points& x);

}  // namespace mercer::data
