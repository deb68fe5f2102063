// Kernels that name columns, on the columns of a table.
#pragma once

#include <mercer/train.hpp>

namespace mercer::learn {

// The kernel, or the kernel or map of the options, on the columns of this table where it names
// some. Throws Error where these have no names.
Kernel in_columns_of(const Table& table, const Kernel& kernel);
TrainOptions in_columns_of(const Table& table, const TrainOptions& options);

}  // namespace mercer::learn
