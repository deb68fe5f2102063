// Products of dense matrices.
#pragma once

#include <string>

#include "numeric/packed.hpp"

namespace mercer::numeric {

struct How {
  unsigned threads = 0;      // 0: as many as the machine has
  std::string instructions;  // empty: those in use
};

// C += sign A B for a C of A.rows × B.columns with `stride` numbers from row to row; sign is 1 or
// -1. The same numbers whatever the number of threads.
template <class T>
void multiply_add(const View<T>& A, const View<T>& B, T sign, T* C, std::size_t stride,
                  Part part = Part::all, const How& how = {});

// C += A B for floats A and B and doubles C: sums of up to 512 terms are floats, those of sums
// doubles. Twice as fast as doubles, and an entry is off by some 1e-7 of Σ_k |a_k b_k|. With a
// unit, a power of 2, what is added is rounded to multiples of it: what then are less than 2^52 of
// them is exact, in whatever order.
void multiply_add(const View<float>& A, const View<float>& B, double* C, std::size_t stride,
                  const How& how = {}, double unit = 0);

}  // namespace mercer::numeric
