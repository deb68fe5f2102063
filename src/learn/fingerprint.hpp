// Of an approximation, everything that decides which model comes out: see checkpoint.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/checkpoint.hpp"

namespace mercer::learn {

// On rows with this checksum.
Checkpoint::Fingerprint fingerprint_of(std::uint64_t rows, const std::vector<std::string>& classes,
                                       const Encoding& encoding, const Approximation& approx,
                                       const TrainOptions& options);

}  // namespace mercer::learn
