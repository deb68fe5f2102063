// Choosing on several ranks: all of them call these with the same data and options, each computes
// the scores of some candidates, and all come to the same choice, which is that of one rank alone.
// Only the first one's `observe` is asked.
#pragma once

#include <mercer/tune.hpp>

#include "comm/comm.hpp"

namespace mercer::choose {

// Throw Error; in other ranks than the first, where a rank has failed, comm::Over.
Tuned tune(const Table& table, const TuneOptions& options, const comm::Comm& comm);
CrossValidation tune_nested(const Examples& examples, const TuneOptions& options,
                            const CrossValidationOptions& outer, const comm::Comm& comm);

}  // namespace mercer::choose
