// The lines of LIBSVM text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/data.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/source.hpp"

namespace mercer::data {

// The rows of one piece of the file.
template <class T>
struct Rows {
  std::int32_t* indices = nullptr;  // of the entries, in the memory of the whole
  T* values = nullptr;
  std::size_t entries = 0;
  std::vector<std::int64_t> ends;  // entries up to the end of each row
  std::vector<double> labels;
  std::vector<std::pair<std::size_t, std::string>> texts;  // labels that are no numbers
  std::vector<std::int64_t> groups;
  std::int64_t largest = -1;  // index, from 0
};

// Reads the lines of a piece; `grouped`: each has a qid. Entries go where `rows` points to. Throws
// Error for the first mistake. T is float or double.
template <class T>
void read_lines(const Source& source, const ReadOptions& options, bool grouped,
                std::string_view piece, Rows<T>& rows);

// The token that begins at p, up to a blank, a line end or a comment.
std::string_view token_at(const char* p, const char* end);

}  // namespace mercer::data
