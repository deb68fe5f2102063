// Missing values of a frame.
#pragma once

#include <cstddef>
#include <mercer/frame.hpp>
#include <span>
#include <vector>

namespace mercer::data {

bool is_hole(const Frame::Column& column, std::size_t row);

// Throws Error for the first hole in the order of the file, among these columns. `later`: the file
// is not the one that the encoding is learned from, so that its options come too late.
void refuse_holes(const Frame& frame, std::span<const std::size_t> columns, bool later);

// The rows without a hole in these columns.
std::vector<std::size_t> whole_rows(const Frame& frame, std::span<const std::size_t> columns);
[[noreturn]] void no_row_left(const std::string& file, bool later);

// These rows; levels that none of them has are forgotten.
Frame selected(const Frame& frame, std::span<const std::size_t> rows);

}  // namespace mercer::data
