// Does an expression rise or fall with one of its parts?
#pragma once

#include <mercer/domain.hpp>

#include "kernel/expr.hpp"

namespace mercer::proof {

enum class Trend { unknown, constant, rising, falling };

inline bool rises(Trend t) { return t == Trend::rising || t == Trend::constant; }
inline bool falls(Trend t) { return t == Trend::falling || t == Trend::constant; }

// How e changes with `part`, which it contains and through which alone it depends on x and z; in
// the weak sense (rising: does not fall). The domain bounds the values of its parts.
Trend trend_in(const algebra::Expr& e, const algebra::Expr& part, const Domain& domain);

}  // namespace mercer::proof
