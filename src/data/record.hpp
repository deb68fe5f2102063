// Cells of text, one after the other: quotes, delimiters, line ends (RFC 4180 and its relatives).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "data/source.hpp"

namespace mercer::data {

struct Cell {
  std::string_view text;  // without quotes and outer blanks
  const char* place = nullptr;
  bool quoted = false;
};

// Reads the cell at p, up to the delimiter, the line end or the end, which it leaves. Texts with
// doubled quotes go to `storage`.
Cell read_cell(const Source& source, const char*& p, const char* end, char delimiter,
               std::deque<std::string>& storage);

// A whole line of cells, with its end.
std::vector<Cell> read_record(const Source& source, const char*& p, const char* end, char delimiter,
                              std::deque<std::string>& storage);

// Where the line of cells at `begin` ends, behind its line end; npos where the text ends first.
std::size_t record_end(std::string_view text, std::size_t begin, char delimiter);

// Nothing but blanks and line ends.
bool is_blank(std::string_view text);

// Comma, semicolon or tab, by the first two lines: what both have as often, the tab before the
// semicolon before the comma.
char guess_delimiter(std::string_view text);

}  // namespace mercer::data
