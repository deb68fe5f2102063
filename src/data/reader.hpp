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
// What the header says, of a file that need not be there as a whole.
struct NpyFacts {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string descr;
  std::size_t number = 0;  // bytes
  bool by_rows = false;    // the order of C
  std::size_t body = 0;    // the offset at which the numbers begin
};
NpyFacts npy_facts(const Source& source);
// As Labels::place.
std::size_t npy_label_place(const NpyFacts& facts, const ReadOptions& options,
                            const std::string& file);
// Throws Error where so many bytes are not what the header promises.
void check_npy_size(std::size_t rows, std::size_t columns, std::size_t number, std::size_t bytes,
                    const std::string& file);
// NaN in an array is a missing value, where there is a policy for these.
bool npy_has_holes(const Source& source);
Frame npy_frame(const Source& source, const ReadOptions& options);

bool is_libsvm(std::string_view content);
Table read_libsvm(const Source& source, const ReadOptions& options);
// The same for a window on a file, which may have no row; whether the lines have a qid, the file's
// first one with a point says.
bool libsvm_grouped(std::string_view content);
Table read_libsvm(const Source& source, const ReadOptions& options, bool grouped);

// Which format it is: the one asked for, or by content. Throws Error for what is known and not
// read. Tabs are a matter of text in columns: csv.
FileFormat format_in(const Source& source, const ReadOptions& options);
// Throws Error for wishes about columns that the format cannot fulfil.
void refuse_columns(const Source& source, const ReadOptions& options, FileFormat format);
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
