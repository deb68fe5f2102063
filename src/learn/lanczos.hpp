// The largest eigenvalue of a symmetric operator, by Lanczos' method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace mercer::learn {

using Operator = std::function<void(std::span<const double> v, std::span<double> product)>;

struct LargestEigenvalue {
  double value = 0;  // from below
  double error = 0;  // |A u - value u| for |u| = 1: some eigenvalue is so near
};

// After at most `iterations` products, fewer where the error is below 1e-3 of the value. The
// direction it begins with is random, by the seed.
LargestEigenvalue largest_eigenvalue(std::size_t n, const Operator& A, std::size_t iterations = 30,
                                     std::uint64_t seed = 0);

}  // namespace mercer::learn
