// Classes so unequal that accuracy says little.
#pragma once

#include <mercer/data.hpp>
#include <mercer/model.hpp>
#include <string>

namespace mercer::choose {

// A remark where one class is so frequent; else empty.
std::string imbalance(const Labels& labels, Model::Task task);

}  // namespace mercer::choose
