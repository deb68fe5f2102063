// What mercer::svm does, with kernel values that somebody has already, or from where it was left.
#pragma once

#include <functional>
#include <mercer/svm.hpp>
#include <variant>

#include "svm/class_blocks.hpp"
#include "svm/rows_on_demand.hpp"
#include "svm/state.hpp"

namespace mercer::support {

// All of K.
using Values = std::variant<std::monostate, TwoStretches<float>, TwoStretches<double>>;

// What somebody has already. Nothing of it has to be there.
struct Known {
  Values values;
  std::vector<double> diagonal;  // of K
  Slabs* slabs = nullptr;        // memory for rows
  // Where rows are computed as they are needed, and turn out to be many: all of K, from others who
  // need most of it, too. Of its two stretches the first has so many points.
  std::function<const Values&()> all;
  std::size_t first = 0;
};

// The same Gram matrix in doubles, and what is known of it, for those that find floats too coarse.
// Where it is empty, everyone makes his own.
struct Fine {
  Gram K;
  Known known;
};
using Finer = std::function<Fine()>;

// Up to so many points all of K is held at once anyway.
inline constexpr std::size_t few = 2048;

Svm machine(const Gram& K, std::span<const double> y, const SvmOptions& options, const Known& known,
            const Continuation& continuation = {}, const Finer& finer = {});

}  // namespace mercer::support
