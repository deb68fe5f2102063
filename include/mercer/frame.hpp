// What a file of text in columns holds before it is numbers: columns of numbers, columns of
// categories, holes in both. An Encoding (encoding.hpp) makes points of it.
//
//     Frame f = read_frame("adult.csv");
//     f.columns[1].name;          // "workclass"
//     f.columns[1].levels;        // "Federal-gov", "Local-gov", …
//     f.columns[1].missing;       // how many cells are empty, ?, NA, …
//
// A column is numbers where all its cells are, categories where none is. A column with both is an
// Error that names the first cell which is no number: mostly it is a slip of the pen. Where it is
// meant, `categories` says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/data.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct Frame {
  struct Place {
    std::size_t line = 0;  // from 1
    std::size_t column = 0;
  };
  struct Column {
    std::string name;  // may be empty
    bool categorical = false;
    std::vector<double> numbers;      // NaN where missing
    std::vector<std::int32_t> codes;  // of categories: the level of each row, -1 where missing
    std::vector<std::string> levels;  // each different text, numbers by value, others by alphabet
    std::size_t missing = 0;          // cells
    Place first_missing;              // in the file
    std::size_t number_cells = 0;     // cells that are numbers; with read_frame's `mixed` alone
                                      // a categorical column may have some
  };

  std::string file;  // for messages
  std::size_t rows = 0;
  std::vector<Column> columns;
  bool named = false;  // the columns have names
  Labels labels;
  std::vector<double> weights;

  // "data.csv:3:14: column 2 ('age'): ", for messages.
  [[nodiscard]] std::string place(std::size_t column, Place where) const;
};

// Whether text in a cell says that there is no value: an empty one, ?, NA, NaN and their like.
bool means_missing(std::string_view cell);

// The file is text in columns; others, read_table reads. `mixed`: a column with numbers and other
// text is categories. Throws Error.
Frame read_frame(const std::string& path, const ReadOptions& options = {}, bool mixed = false);
Frame parse_frame(std::string_view content, const std::string& name,
                  const ReadOptions& options = {}, bool mixed = false);

}  // namespace mercer
