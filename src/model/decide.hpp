// Classes from what is at hand already.
#pragma once

#include <cstdint>
#include <mercer/matrix.hpp>
#include <vector>

namespace mercer::model {

// The most probable class of each row, the first of equal ones.
std::vector<std::int32_t> most_probable(const Matrix& probabilities);

// What a class is ranked by that won so many pairs, with the sum of its scores in all of them: the
// sum, squeezed to less than a vote, decides among equally many.
double merit_of_votes(double votes, double sum);

}  // namespace mercer::model
