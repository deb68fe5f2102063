// What several machines that were trained by folds say of every row of K (see held_out.hpp).
//
// A machine of two classes among many scores mostly points of others, and that is a sum over rows
// of K, which is far too large for any cache. So K is read once, a few columns at a time, for all
// machines, folds and prices.
#pragma once

#include <functional>
#include <span>

#include "svm/held_out.hpp"

namespace mercer::support {

// Gets the scores of rows [first, first + scores.size()) by a machine at a price. Called from
// several threads at once for different rows, for each row in the order of the machines.
using TakeScores = std::function<void(std::size_t machine, std::size_t price, std::size_t first,
                                      std::span<const double> scores)>;

template <class T>
void score_all(const AllValues<T>& K, const HeldOutOptions& options, unsigned threads,
               const std::vector<HeldOut>& machines, const TakeScores& take);

extern template void score_all(const AllValues<float>&, const HeldOutOptions&, unsigned,
                               const std::vector<HeldOut>&, const TakeScores&);
extern template void score_all(const AllValues<double>&, const HeldOutOptions&, unsigned,
                               const std::vector<HeldOut>&, const TakeScores&);

}  // namespace mercer::support
