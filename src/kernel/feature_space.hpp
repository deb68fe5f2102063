// How many features a kernel has.
#pragma once

#include <cstdint>
#include <mercer/properties.hpp>
#include <optional>

#include "kernel/expr.hpp"

namespace mercer::algebra {

Properties::FeatureSpace feature_space_of(const Expr& e, std::optional<std::uint32_t> dimension);

}  // namespace mercer::algebra
