#include "learn/plain_learners.hpp"

#include <cmath>

namespace mercer::testing {

Matrix plain_gram(const Kernel& k, const Matrix& x) {
  Matrix K{x.rows, x.rows, std::vector<double>(x.rows * x.rows), {}};
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.rows; ++j) K(i, j) = k(x.row(i), x.row(j));
  return K;
}

PlainPerceptron plain_perceptron(const Matrix& K, const Matrix& y,
                                 const std::vector<std::vector<std::size_t>>& orders,
                                 double margin) {
  PlainPerceptron result;
  result.alpha = Matrix{y.rows, y.columns, std::vector<double>(y.values.size()), {}};
  for (const auto& order : orders) {
    bool mistake = false;
    for (const std::size_t i : order) {
      std::vector<std::size_t> wrong;
      for (std::size_t c = 0; c < y.columns; ++c) {
        double f = 0;
        for (std::size_t j = 0; j < y.rows; ++j) f += result.alpha(j, c) * y(j, c) * K(j, i);
        if (y(i, c) * f <= margin) wrong.push_back(c);
      }
      for (const std::size_t c : wrong) {
        result.alpha(i, c) += 1;
        result.mistakes.emplace_back(i, c);
        mistake = true;
      }
    }
    if (!mistake) break;
  }
  return result;
}

Matrix plain_solve(Matrix A, Matrix b) {
  const std::size_t n = A.rows;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(pivot, k))) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(A(k, j), A(pivot, j));
    for (std::size_t c = 0; c < b.columns; ++c) std::swap(b(k, c), b(pivot, c));
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = A(i, k) / A(k, k);
      for (std::size_t j = k; j < n; ++j) A(i, j) -= factor * A(k, j);
      for (std::size_t c = 0; c < b.columns; ++c) b(i, c) -= factor * b(k, c);
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < b.columns; ++c) b(i, c) /= A(i, i);
  return b;
}

}  // namespace mercer::testing
