// What choosing asks of tables and learners besides.
#pragma once

#include <mercer/encoding.hpp>
#include <mercer/train.hpp>
#include <string>
#include <vector>

namespace mercer::choose {

// The kernel or map of the options, on the columns of this table where it names some. Throws Error
// where these have no names.
TrainOptions in_columns_of(const Table& table, const TrainOptions& options);
Kernel in_columns_of(const Table& table, const Kernel& kernel);

// The errors of ridge regression for each row, left out, and what was chosen on the way; empty
// where K is too large for the formula.
struct LeftOut {
  std::vector<double> errors;
  std::vector<std::string> chosen;
};
LeftOut left_out(const EncodedTable& data, const TrainOptions& options);

// A remark where one class is so frequent that accuracy says little; else empty.
std::string imbalance(const Labels& labels, Model::Task task);

}  // namespace mercer::choose
