// Small dense matrices for tests: eigenvalues and ranks by the plainest methods.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), entries_(rows * columns) {}

  [[nodiscard]] std::size_t rows() const { return columns_ == 0 ? 0 : entries_.size() / columns_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }

  double& operator()(std::size_t i, std::size_t j) { return entries_[i * columns_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<double> entries_;
};

// Entry (i, j) is f(i, j).
Matrix fill(std::size_t rows, std::size_t columns,
            const std::function<double(std::size_t, std::size_t)>& f);

// The eigenvalues of a symmetric matrix in ascending order, by Jacobi rotations.
std::vector<double> eigenvalues(Matrix a);

// The pivots of Gaussian elimination with complete pivoting, in absolute value, largest first: a
// matrix of rank r has r of them, up to rounding.
std::vector<double> pivots(Matrix a);
