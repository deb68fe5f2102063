#include "support/plain_learners.hpp"

#include <cmath>
#include <mercer/error.hpp>
#include <mercer/features.hpp>

#include "base/random.hpp"

namespace mercer::testing {

Matrix random_matrix(std::size_t n, std::size_t d, std::uint64_t seed) {
  RandomNumbers random(seed);
  Matrix x = Matrix::zeros(n, d);
  for (double& v : x.values) v = random.normal();
  return x;
}

Points points_of(const Matrix& x) {
  return Points::own(std::vector<double>(x.values), x.rows, x.columns);
}

Matrix images(const Kernel& k, const Matrix& x) {
  const Features f = features(k, static_cast<std::uint32_t>(x.columns));
  if (f.kind != Features::Kind::finite) throw Error(k.text() + " has no finite map");
  Matrix phi{x.rows, f.map.coordinates.size(), {}, {}};
  for (std::size_t i = 0; i < x.rows; ++i)
    for (const auto& coordinate : f.map.coordinates)
      phi.values.push_back(coordinate(x.row(i), x.row(i)));
  return phi;
}

Matrix plain_gram(const Kernel& k, const Matrix& x) {
  Matrix K = Matrix::zeros(x.rows, x.rows);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.rows; ++j) K(i, j) = k(x.row(i), x.row(j));
  return K;
}

PlainPerceptron plain_perceptron(const Matrix& K, const Matrix& y,
                                 const std::vector<std::vector<std::size_t>>& orders,
                                 double margin) {
  PlainPerceptron result;
  result.alpha = Matrix::zeros(y.rows, y.columns);
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
