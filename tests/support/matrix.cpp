#include "matrix.hpp"

#include <algorithm>
#include <cmath>

Matrix fill(std::size_t rows, std::size_t columns,
            const std::function<double(std::size_t, std::size_t)>& f) {
  Matrix result(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result(i, j) = f(i, j);
  return result;
}

namespace {

// Makes entry (p, q) zero by a rotation of the rows and columns p and q.
void rotate(Matrix& a, std::size_t p, std::size_t q) {
  if (a(p, q) == 0) return;
  const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::hypot(t, 1.0);
  const double s = t * c;
  for (std::size_t k = 0; k < a.rows(); ++k) {
    const double u = a(k, p);
    const double v = a(k, q);
    a(k, p) = c * u - s * v;
    a(k, q) = s * u + c * v;
  }
  for (std::size_t k = 0; k < a.rows(); ++k) {
    const double u = a(p, k);
    const double v = a(q, k);
    a(p, k) = c * u - s * v;
    a(q, k) = s * u + c * v;
  }
}

}  // namespace

std::vector<double> eigenvalues(Matrix a) {
  constexpr int sweeps = 30;  // convergence is quadratic: a handful is enough
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t p = 0; p < a.rows(); ++p)
      for (std::size_t q = p + 1; q < a.rows(); ++q) rotate(a, p, q);
  std::vector<double> result(a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) result[i] = a(i, i);
  std::ranges::sort(result);
  return result;
}

std::vector<double> pivots(Matrix a) {
  std::vector<double> result;
  const std::size_t steps = std::min(a.rows(), a.columns());
  for (std::size_t k = 0; k < steps; ++k) {
    std::size_t row = k;
    std::size_t column = k;
    for (std::size_t i = k; i < a.rows(); ++i)
      for (std::size_t j = k; j < a.columns(); ++j)
        if (std::abs(a(i, j)) > std::abs(a(row, column))) {
          row = i;
          column = j;
        }
    const double pivot = a(row, column);
    result.push_back(std::abs(pivot));
    if (pivot == 0) continue;
    for (std::size_t j = 0; j < a.columns(); ++j) std::swap(a(k, j), a(row, j));
    for (std::size_t i = 0; i < a.rows(); ++i) std::swap(a(i, k), a(i, column));
    for (std::size_t i = k + 1; i < a.rows(); ++i) {
      const double factor = a(i, k) / pivot;
      for (std::size_t j = k; j < a.columns(); ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return result;
}
