// Classes from probabilities, for those who have them already.
#pragma once

#include <cstdint>
#include <mercer/matrix.hpp>
#include <vector>

namespace mercer::model {

// The most probable class of each row, the first of equal ones.
std::vector<std::int32_t> most_probable(const Matrix& probabilities);

}  // namespace mercer::model
