// Rationals for FLINT.
#pragma once

#include <flint/fmpq.h>

#include "base/rational.hpp"

namespace mercer::proof {

// `to` has been initialised.
void set(fmpq_t to, const Rational& value);

}  // namespace mercer::proof
