// The learners as the notes write them: one example at a time, every sum written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/kernel.hpp>
#include <mercer/matrix.hpp>
#include <mercer/points.hpp>
#include <utility>
#include <vector>

namespace mercer::testing {

using Step = std::pair<std::size_t, std::size_t>;  // example, column of y

// Normal numbers.
Matrix random_matrix(std::size_t n, std::size_t d, std::uint64_t seed);
Points points_of(const Matrix& x);
// φ(x_i) for the finite map of a kernel, coordinate by coordinate.
Matrix images(const Kernel& k, const Matrix& x);

// K_ij in doubles, one by one.
Matrix plain_gram(const Kernel& k, const Matrix& x);

// Every mistake in its order. `order` of each pass; a pass without a mistake ends it.
struct PlainPerceptron {
  std::vector<Step> mistakes;
  Matrix alpha;
};
PlainPerceptron plain_perceptron(const Matrix& K, const Matrix& y,
                                 const std::vector<std::vector<std::size_t>>& orders,
                                 double margin = 0);

// x with A x = b, by Gaussian elimination with pivoting.
Matrix plain_solve(Matrix A, Matrix b);

}  // namespace mercer::testing
