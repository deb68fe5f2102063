// Products written out as sums.
#pragma once

#include "kernel/expr.hpp"

namespace mercer::algebra {

// Products of sums and small whole powers of sums multiplied out, outside of functions; |v|² for a
// sum v too. Left as it is where that would take too many terms.
Expr multiplied_out(const Expr& e);

}  // namespace mercer::algebra
