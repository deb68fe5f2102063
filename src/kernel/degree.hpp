// The degree of a polynomial, as a function of the dimension d.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/expr.hpp"

namespace mercer::algebra {

// The larger of the degrees in x and in z, as text in terms of d ("2", "d + 1"), or as a number
// where the dimension is given; nullopt for what is not a polynomial by form.
std::optional<std::string> degree_of(const Expr& e, std::optional<std::uint32_t> dimension);

}  // namespace mercer::algebra
