// Matrices for Eigen, and eigenvalues of symmetric ones.
#pragma once

#include <Eigen/Dense>
#include <mercer/matrix.hpp>

namespace mercer::matrix {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<const RowMajor> view(const Matrix& table) {
  return {table.values.data(), static_cast<Eigen::Index>(table.rows),
          static_cast<Eigen::Index>(table.columns)};
}

inline Eigen::Map<RowMajor> view(Matrix& table) {
  return {table.values.data(), static_cast<Eigen::Index>(table.rows),
          static_cast<Eigen::Index>(table.columns)};
}

// Halves first: the sum of two large entries may be beyond the range of doubles.
inline Eigen::MatrixXd symmetric_part(const Matrix& table) {
  return 0.5 * view(table) + 0.5 * view(table).transpose();
}

// n ε λ_n: what a correct Gram matrix of this size may lose to rounding.
double rounding_bound(Eigen::Index n, double largest_eigenvalue);

// The eigenvalues below `floor` raised to it.
Eigen::MatrixXd clipped(const Eigen::MatrixXd& S, double floor);

}  // namespace mercer::matrix
