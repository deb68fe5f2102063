// φ(x)·φ(z) against k(x,z), by a road other than the one that led to φ.
#pragma once

#include <mercer/features.hpp>
#include <span>

#include "kernel/expr.hpp"

namespace mercer::feature {

using algebra::Expr;

// Σ φ_i(x) φ_i(z)
Expr multiplied(std::span<const Expr> functions);

// `tail` is null where φ is whole.
Features::Check checked(const Expr& k, std::uint32_t d, std::span<const Expr> functions,
                        const Expr& tail);

}  // namespace mercer::feature
