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

// What to keep of n × m values: nothing where computing one again costs about what reading it does,
// else all that fits.
GramOptions::Storage storage_for(const Plan& plan, std::size_t n, std::size_t m, std::size_t bytes,
                                 std::size_t memory);

Chosen choose(std::span<const Kernel> kernels, const Points& x, const Points& z, bool same,
              const GramOptions& options);

}  // namespace mercer::gram
