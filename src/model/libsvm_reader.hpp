// LIBSVM's model files, as svm-train writes them: lines of a keyword and its values up to `SV`,
// then a line for each support vector, its α for each other class and its entries.
#pragma once

#include <cstddef>
#include <mercer/model.hpp>
#include <string_view>

#include "data/source.hpp"

namespace mercer::model {

bool is_libsvm(std::string_view content);

// As read_libsvm_model. Throws Error.
Model read_libsvm(const data::Source& source, std::size_t columns);

}  // namespace mercer::model
