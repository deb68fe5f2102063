// Which plan computes the values: the fastest whose error stays below what was promised.
#pragma once

#include <mercer/gram.hpp>
#include <vector>

#include "gram/plan.hpp"

namespace mercer::gram {

struct Chosen {
  Plan plan;
  GramOptions::Precision precision = GramOptions::Precision::float32;
  std::vector<double> centre;
  GramReport report;
};

Chosen choose(std::span<const Kernel> kernels, const Points& x, const Points& z, bool same,
              const GramOptions& options);

}  // namespace mercer::gram
