// What is searched: kernels with open parameters, and the values that these may take.
#pragma once

#include <cstddef>
#include <map>
#include <mercer/kernel.hpp>
#include <mercer/points.hpp>
#include <mercer/train.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mercer::choose {

// One of the dimensions of a search: values that may be taken, ascending, and between them, if it
// is not whole numbers, anything.
struct Axis {
  std::string name;
  std::vector<double> values;
  bool fixed = false;  // the user's own values: nothing between them
  bool whole = false;
};

struct Space {
  Kernel open;             // with its open parameters
  std::vector<Axis> axes;  // one for each
};

// Coarse axes for the open parameters of a kernel on these points. Throws Error.
Space space_of(const Kernel& kernel, const Points& x,
               const std::map<std::string, std::vector<double>>& given, std::uint64_t seed,
               bool fine);
Axis price_axis(Learner learner, const std::map<std::string, std::vector<double>>& given,
                double scale, bool fine);

// Every combination of values.
std::vector<std::vector<double>> product(const std::vector<Axis>& axes);

// The value half way to the next one below, or above, of those that are there, on a scale of
// powers; nothing at the end, or where there is nothing between.
std::vector<double> between(const Axis& axis, const std::vector<double>& there, double value);

}  // namespace mercer::choose
