// Images of some rows of a table, whose errors name the row of the table.
#pragma once

#include <mercer/features.hpp>
#include <mercer/points.hpp>

namespace mercer::model {

// As mapped(); `before`: the rows of the table in front of these.
Points images(const FeatureMap& map, const Points& x, unsigned threads, std::size_t before);

}  // namespace mercer::model
