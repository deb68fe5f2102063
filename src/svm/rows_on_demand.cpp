#include "svm/rows_on_demand.hpp"

#include "base/parallel.hpp"

namespace mercer::support {

// As many at a time as columns are computed together anyway.
std::vector<double> diagonal_of(const Gram& K, unsigned threads) {
  constexpr std::size_t some = 64;
  const std::size_t n = K.rows();
  std::vector<double> diagonal(n);
  parallel_for((n + some - 1) / some, threads, [&](std::size_t task) {
    const std::size_t begin = task * some;
    const std::size_t count = std::min(some, n - begin);
    std::vector<double> values(some * some);
    const Rows these(begin, begin + count);
    K.block(these, these, values.data(), some);
    for (std::size_t i = 0; i < count; ++i) diagonal[begin + i] = values[i * some + i];
  });
  return diagonal;
}

}  // namespace mercer::support
