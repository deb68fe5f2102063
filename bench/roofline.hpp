// The limit of a kernel on this machine.
#pragma once

#include "gram/plan.hpp"

namespace mercer::bench {

// Seconds for one value on one thread: the time of its sums over coordinates at that peak of
// multiply-adds, plus the time of its functions (exp, division, …) at their own rates, measured on
// tiles in the first cache. `share` of the coordinates are not zero.
double limit(const gram::Plan& plan, double peak, double share = 1);

}  // namespace mercer::bench
