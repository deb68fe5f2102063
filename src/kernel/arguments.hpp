// From the arguments of a named kernel to its expression: defaults, alternatives, ranges.
#pragma once

#include <string>

#include "kernel/catalogue/definition.hpp"
#include "kernel/open_call.hpp"

namespace mercer::algebra {

// "rbf(gamma=0.5) or rbf(sigma=…)"
std::string signature(const KernelInfo& info);

// Throws Error where the value is out of the parameter's range.
void check_argument(const KernelInfo& info, std::string_view parameter, const Expr& value);

// Reads a formula in which the parameters stand for their values.
Expr elaborate_formula(std::string_view formula, const std::vector<Argument>& parameters);

}  // namespace mercer::algebra
