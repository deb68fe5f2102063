// What mercer::svm does, with kernel values that somebody has already, or from where it was left.
#pragma once

#include <mercer/svm.hpp>
#include <variant>

#include "svm/class_blocks.hpp"
#include "svm/state.hpp"

namespace mercer::support {

using Known = std::variant<std::monostate, TwoStretches<float>, TwoStretches<double>>;

// Up to so many points all of K is held at once anyway.
inline constexpr std::size_t few = 2048;

Svm machine(const Gram& K, std::span<const double> y, const SvmOptions& options, const Known& known,
            const Continuation& continuation = {});

}  // namespace mercer::support
