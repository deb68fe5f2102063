// From cells to tables and frames.
#pragma once

#include <mercer/frame.hpp>
#include <optional>

#include "data/cells.hpp"

namespace mercer::data {

// Where every feature is a number: the points as they were read, without a copy where the label is
// the last column. Nothing where there are holes or categories.
std::optional<Table> plain_table(const Cells& cells, Points::Scalar scalar);

// Throws Error for a column that is neither all numbers nor all text, unless `mixed`.
Frame frame_of(const Cells& cells, bool mixed);

// "2,5", "$12", "12 %", "1 000": a number to people.
bool looks_like_a_number(std::string_view text);

}  // namespace mercer::data
