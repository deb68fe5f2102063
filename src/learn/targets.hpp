// Checks that all learners make of what they are given.
#pragma once

#include <cstddef>
#include <mercer/gram.hpp>
#include <mercer/matrix.hpp>
#include <span>

namespace mercer::learn {

// Throws Error where y has not a row for each of the n examples, or no column, or a number that is
// not finite.
void check_targets(std::size_t n, const Matrix& y);
// … where a number is not +1 or -1.
void check_signs(const Matrix& y);
// … where there are weights, but not one for each, or one that is negative or not finite, or none
// that is positive.
void check_weights(std::size_t n, std::span<const double> weights);
// … where it is not a number > 0.
void check_lambda(double lambda);
// … where K is not square.
void check_square(const Gram& K);

}  // namespace mercer::learn
