// The constant (rule 0 of the notes: k = 1 is a kernel, with φ = 1), and the user's own matrix.
#include <array>

#include "kernel/catalogue/definition.hpp"

namespace mercer::algebra {

namespace {

constexpr std::array<ParameterInfo, 1> const_parameters{{
    {"c", "1", "real", "its value; a kernel for c >= 0", ""},
}};

Expr build_precomputed(const Arguments&) { return precomputed(false); }

const std::array<Definition, 2> kernels{{
    {.info = {"const", const_parameters, "c", "any", "the same for all points: adds an offset"}},
    {.info = {"precomputed",
              {},
              "K[i,j]",
              "its indices",
              "an entry of a matrix that the user supplies"},
     .build = build_precomputed},
}};

}  // namespace

std::span<const Definition> other_kernels() { return kernels; }

}  // namespace mercer::algebra
