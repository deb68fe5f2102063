// The readers, one per format: whether the content is theirs, and what it says.
//
// A new format is a new file with these two functions and a row in `readers` of table.cpp.
#pragma once

#include <mercer/data.hpp>
#include <mercer/matrix.hpp>
#include <string>
#include <string_view>

#include "data/source.hpp"

namespace mercer::data {

bool is_npy(std::string_view content);
Table read_npy(const Source& source, const ReadOptions& options);

bool is_libsvm(std::string_view content);
Table read_libsvm(const Source& source, const ReadOptions& options);

Table read_text(const Source& source, const ReadOptions& options);
// One label per line.
std::vector<std::string> read_label_lines(const Source& source);

// The last column, or the one named, of an array of numbers becomes the labels.
Table take_label(Matrix table, const std::string& file, const ReadOptions& options);

// The number of the column meant by `label`, from 0: a name, or a number from 1.
std::size_t label_index(const std::string& label, const std::vector<std::string>& names,
                        std::size_t columns, const std::string& file);

}  // namespace mercer::data
