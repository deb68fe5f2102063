// Eigenvalues and eigenvectors of a symmetric matrix: A = Σ_j λ_j u_j u_jᵀ.
//
// By reflections to a tridiagonal matrix (blocked; half of the work is products of A with a vector,
// which the memory limits), LAPACK's dstemr for its eigenvectors, and the reflections back, which
// is a product of matrices. The same numbers whatever the number of threads.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned.hpp"
#include "numeric/product.hpp"

namespace mercer::numeric {

struct Eigen {
  std::vector<double> values;  // ascending
  Aligned<double> vectors;     // row j is u_j, n numbers
};

// Of the n × n matrix A, row by row, of which the upper triangle is read; A is overwritten. Throws
// Error where it has an entry that is not finite.
Eigen eigen(double* A, std::size_t n, const How& how = {});

}  // namespace mercer::numeric
