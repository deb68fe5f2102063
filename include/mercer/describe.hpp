// What is in a file of data, and what in it looks like a mistake.
#pragma once

#include <cstddef>
#include <mercer/frame.hpp>
#include <string>
#include <vector>

namespace mercer {

struct ColumnSummary {
  std::string name;  // may be empty
  bool categorical = false;
  std::size_t missing = 0;  // cells
  std::size_t zeros = 0;    // of numbers
  double least = 0;         // of numbers
  double largest = 0;
  double mean = 0;
  double deviation = 0;    // standard deviation
  std::size_t levels = 0;  // of categories
};

struct Suspicion {
  enum class Kind {
    constant,        // the same in every row: says nothing
    duplicate,       // the same as another column
    same_name,       // as another column: training asks for names that differ
    id,              // different in every row, or counting them: says which row it is
    number_as_text,  // text that people read as numbers, or a few texts among numbers
    scales,          // columns of very different size: the largest drown the others
    rare_class,      // too few rows to learn from
    one_class,       // nothing to tell apart
  };
  Kind kind = Kind::constant;
  std::vector<std::size_t> columns;  // from 0
  std::string text;                  // one sentence
};
// "constant", "duplicate", …
const char* name_of(Suspicion::Kind kind);

struct DataSummary {
  FileFormat format = FileFormat::csv;
  bool packed = false;
  std::size_t rows = 0;
  bool sparse = false;
  std::size_t entries = 0;  // numbers that are not 0
  std::size_t missing = 0;  // cells
  std::size_t rows_with_missing = 0;
  bool weights = false;
  std::size_t groups = 0;  // different qid
  std::vector<ColumnSummary> columns;
  Labels labels;
  std::vector<Suspicion> suspicions;
};

// Throws Error where the file cannot be read at all; a column of numbers and text is described.
DataSummary describe(const std::string& path, const ReadOptions& options = {});

}  // namespace mercer
