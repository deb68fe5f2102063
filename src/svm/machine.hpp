// What mercer::svm does, with kernel values that somebody has already, or from where it was left.
#pragma once

#include <functional>
#include <mercer/error.hpp>
#include <mercer/svm.hpp>
#include <span>
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
  MemoryPool* pool = nullptr;    // and for tiles
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

// A hard margin has no meaning where distances are not: Σ β_i β_j k(x_i, x_j) < 0 for one example,
// for the difference of two, or for a combination of many.
class NotAKernel : public Error {
 public:
  NotAKernel(std::vector<std::size_t> rows, double value);
  // The same, where these are the rows of a larger table.
  [[nodiscard]] NotAKernel among(std::span<const std::size_t> rows) const;

 private:
  std::vector<std::size_t> rows_;
  double value_;
};

Svm machine(const Gram& K, std::span<const double> y, const SvmOptions& options, const Known& known,
            const Continuation& continuation = {}, const Finer& finer = {});

}  // namespace mercer::support
