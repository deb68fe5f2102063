// The Cholesky factor: a symmetric positive definite A is L Lᵀ with L lower triangular.
//
// Blocked: a block of columns is factored, and its part of L Lᵀ taken off what is right and below
// of it, which is a product of matrices and nearly all of the n³/3 multiply-adds. It runs in place:
// no memory but the packed block, about 2 n · 256 numbers. Backward stable: L Lᵀ differs from A by
// no more than about n ε max A_ii (Higham, Accuracy and Stability of Numerical Algorithms, ch. 10).
#pragma once

#include <cstddef>

#include "numeric/product.hpp"

namespace mercer::numeric {

// What is on and below the diagonal of A becomes L; what is above is undefined then. Returns n, or
// the first column whose pivot is not positive: then A is not positive definite beyond rounding,
// and what is left in it is of no use.
template <class T>
std::size_t cholesky(T* A, std::size_t n, std::size_t stride, const How& how = {});

// B ← (L Lᵀ)⁻¹ B, for B of n × m.
template <class T>
void solve_cholesky(const T* L, std::size_t n, std::size_t stride, T* B, std::size_t m,
                    std::size_t B_stride, const How& how = {});

// B ← L⁻¹ B and B ← L⁻ᵀ B.
template <class T>
void solve_lower(const T* L, std::size_t n, std::size_t stride, T* B, std::size_t m,
                 std::size_t B_stride, const How& how = {});
template <class T>
void solve_upper(const T* L, std::size_t n, std::size_t stride, T* B, std::size_t m,
                 std::size_t B_stride, const How& how = {});

}  // namespace mercer::numeric
