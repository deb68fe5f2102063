// Cross-validation of any way to get from rows to a rule.
#pragma once

#include <functional>
#include <mercer/cross_validation.hpp>
#include <mercer/split.hpp>
#include <vector>

namespace mercer::choose {

// The rows for training, with their encoding, and which of the examples they are.
using Learn =
    std::function<Trained(const EncodedTable& training, const std::vector<std::size_t>& rows)>;

CrossValidation cross_validate_by(const Examples& examples, const TrainOptions& options,
                                  const CrossValidationOptions& how, const Learn& learn);

// The same for one part alone.
CrossValidation tested_on(const Examples& examples, const TrainOptions& options, const Split& split,
                          const Learn& learn);

}  // namespace mercer::choose
