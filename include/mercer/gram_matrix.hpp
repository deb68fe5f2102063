// Is this matrix a Gram matrix? And if not, which one is near?
//
// K is the Gram matrix of some points in some feature space, K_ij = φ(x_i)·φ(x_j), if and only if
// it is symmetric and positive semidefinite: aᵀKa >= 0 for all a. Matrices come out of
// computations, so both are asked up to rounding: with λ_1 <= … <= λ_n the eigenvalues and ε =
// 2^-52,
//
//     |K_ij - K_ji| <= n ε λ_n   and   λ_1 >= -n ε λ_n,
//
// what a correct Gram matrix may lose when it is computed in doubles. Small matrices are also
// decided exactly, as the decimals that they print as.
#pragma once

#include <mercer/matrix.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct GramCheck {
  bool symmetric = false;     // up to rounding
  bool semidefinite = false;  // up to rounding
  [[nodiscard]] bool is_gram() const { return symmetric && semidefinite; }

  double asymmetry = 0;  // the largest |K_ij - K_ji|
  std::size_t row = 0;   // where that is, from 0
  std::size_t column = 0;

  // Of (K + Kᵀ)/2.
  double smallest_eigenvalue = 0;
  double largest_eigenvalue = 0;
  double bound = 0;                      // n ε λ_n
  std::size_t negative_eigenvalues = 0;  // below -bound

  // a with aᵀKa < 0, where it is not semidefinite: short decimals, the largest entry about 1; and
  // the value, computed exactly.
  std::vector<double> direction;
  std::string value;

  // Of the decimals themselves, where that was decided: symmetric and semidefinite without any
  // tolerance.
  std::optional<bool> exactly;
};

// Throws Error where the table is not square.
GramCheck check_gram(const Matrix& K);

enum class GramRepair {
  clip,     // negative eigenvalues become 0: the nearest Gram matrix in the Frobenius norm
  shift,    // |λ_1| is added to the diagonal: the off-diagonal entries stay
  nearest,  // the nearest one with the same diagonal
};

struct RepairedGram {
  Matrix K;                   // passes check_gram
  double moved = 0;           // Frobenius norm of the difference
  double relative = 0;        // to that of the given matrix
  double largest_change = 0;  // of one entry
  std::size_t row = 0;        // where that is, from 0
  std::size_t column = 0;
  int rounds = 0;         // of Newton's method
  bool converged = true;  // else a Gram matrix with the diagonal, but not yet the nearest
};

// Throws Error for `nearest` where the diagonal has a negative entry, as no Gram matrix has.
RepairedGram repair_gram(const Matrix& K, GramRepair how);

}  // namespace mercer
