// The one thing that LAPACK is asked for. It is loaded when it is first needed, not with the
// program: the library behind it may be OpenBLAS, which starts its threads on being loaded.
#pragma once

#include <cstddef>
#include <span>

namespace mercer::numeric {

// All eigenvalues, ascending, and eigenvectors (one in each row of `vectors`) of the symmetric
// tridiagonal matrix with this diagonal and these entries beside it (as many, the last one unused).
// Both are overwritten. Throws Error.
void tridiagonal_eigenvectors(std::span<double> diagonal, std::span<double> beside, double* values,
                              double* vectors);

}  // namespace mercer::numeric
