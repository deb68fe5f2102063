// The nearest positive semidefinite matrix with a given diagonal, in the Frobenius norm.
//
// Of all X = G + Diag(y) cut off at its negative eigenvalues, written X = (G + Diag(y))₊, the
// nearest one is that which has the diagonal d: the dual of the problem is to minimise, without
// constraints,
//
//     θ(y) = ½ |(G + Diag(y))₊|² - d·y,   with gradient   diag((G + Diag(y))₊) - d,
//
// a convex function, smooth enough for Newton's method. N. J. Higham's alternating projections
// solve the same problem (IMA J. Numer. Anal. 22, 2002) in hundreds of eigenvalue decompositions;
// this takes about ten. H. Qi and D. Sun, "A quadratically convergent Newton method for computing
// the nearest correlation matrix", SIAM J. Matrix Anal. Appl. 28, 2006.
#pragma once

#include <Eigen/Dense>

namespace mercer::matrix {

struct NearestGram {
  Eigen::MatrixXd X;
  int rounds = 0;
  bool converged = false;
};

// For symmetric G and d > 0.
NearestGram nearest_with_diagonal(const Eigen::MatrixXd& G, const Eigen::VectorXd& d);

}  // namespace mercer::matrix
