// The readers, one per format: whether the content is theirs, and what it says.
//
// A new format is a new file with these two functions, and a line in format_in and read
// (table.cpp). Text in columns, which is not told by its content but by being nothing else, has
// cells.hpp.
#pragma once

#include <mercer/data.hpp>
#include <mercer/frame.hpp>
#include <string>
#include <string_view>

#include "data/npy_header.hpp"  // is_npy
#include "data/source.hpp"

namespace mercer::data {

Table read_npy(const Source& source, const ReadOptions& options);
std::size_t npy_columns(const Source& source);
// NaN in an array is a missing value, where there is a policy for these.
bool npy_has_holes(const Source& source);
Frame npy_frame(const Source& source, const ReadOptions& options);

bool is_libsvm(std::string_view content);
Table read_libsvm(const Source& source, const ReadOptions& options);

// Which format it is: the one asked for, or by content. Throws Error for what is known and not
// read. Tabs are a matter of text in columns: csv.
FileFormat format_in(const Source& source, const ReadOptions& options);
// By the reader of that format.
Table read_source(const Source& source, const ReadOptions& options);

// One label per line.
std::vector<std::string> read_label_lines(const Source& source);

// The number of the column meant by `label`, from 0: a name, or a number from 1.
std::size_t label_index(const std::string& label, const std::vector<std::string>& names,
                        std::size_t columns, const std::string& file);
// The same for another column: "there is no column 'z' for <what>".
std::size_t column_index(const std::string& column, const std::vector<std::string>& names,
                         std::size_t columns, const std::string& file, const std::string& what);

}  // namespace mercer::data
