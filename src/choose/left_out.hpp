// Leaving each row out of ridge regression by a formula.
#pragma once

#include <mercer/encoding.hpp>
#include <mercer/train.hpp>
#include <string>
#include <vector>

namespace mercer::choose {

// The errors of ridge regression for each row, left out, and what was chosen on the way; empty
// where K is too large for the formula.
struct LeftOut {
  std::vector<double> errors;
  std::vector<std::string> chosen;
};
LeftOut left_out(const EncodedTable& data, const TrainOptions& options);

}  // namespace mercer::choose
