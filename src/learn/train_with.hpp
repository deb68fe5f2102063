// What `train` does, with another solver for ridge regression on a kernel: one that works on
// several machines, say.
#pragma once

#include <functional>
#include <mercer/train.hpp>

namespace mercer::learn {

using SolveRidge =
    std::function<Ridge(const Kernel&, const Points&, const Matrix& y, const RidgeOptions&)>;

Trained train_with(const SolveRidge& solve, const Table& table, const Encoding& encoding,
                   const TrainOptions& options);

}  // namespace mercer::learn
