// Which points are centres, by a seed: the same on every machine and for any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/kernel.hpp>
#include <mercer/nystrom.hpp>
#include <vector>

#include "scale/crew.hpp"

namespace mercer::scale {

// `count` different ones of 0 … n-1, ascending, in memory for `count`; all where there are no more.
std::vector<std::size_t> sample_of(std::size_t n, std::size_t count, std::uint64_t seed);

struct Centres {
  Points points;
  std::vector<double> D;          // the weight of the rows that each stands for
  std::vector<std::size_t> rows;  // that they are; empty where they were given
};
Centres choose_centres(Crew& crew, const Kernel& k, const NystromOptions& options);

}  // namespace mercer::scale
