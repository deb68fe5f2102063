#include "feature/mass.hpp"

#include <fmt/format.h>

#include <mercer/error.hpp>

#include "kernel/evaluate.hpp"
#include "kernel/print.hpp"

namespace mercer::feature {

double mass_of(const algebra::Expr& constant) {
  const double v = algebra::constant_value(constant);
  if (v < 0)
    throw Error(fmt::format("{} is negative: as a part of a sum it has no features",
                            algebra::print(constant)));
  return v;
}

}  // namespace mercer::feature
