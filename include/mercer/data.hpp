// Tables of data: n points in R^d, one per row, and a label for each where there are labels.
//
//     Table t = read_table("iris.csv");             // the last column is the label
//     t.row(0);                                     // the first point, a span of d numbers
//     t.labels[0];                                  // "setosa"
//
// Files are told apart by their content, not by their name:
//   text   numbers separated by commas, semicolons or tabs; cells may stand in "quotes"; the first
//          line is taken for names where none of its feature cells is a number;
//   .npy   one NumPy array of one or two dimensions: floats, whole numbers, truth values.
//
// Reading is strict. A missing value, a cell that is not a finite number, rows of different length,
// anything else that would have to be guessed: Error, with file, line, column and the remedy.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct Table {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;       // row by row
  std::vector<std::string> names;   // of the columns; empty where the file has none
  std::vector<std::string> labels;  // as written, one per row; empty without labels
  std::string label_name;           // of the label's column; may be empty

  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(values).subspan(i * columns, columns);
  }
  double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
  double& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
};

struct ReadOptions {
  enum class Labels { last_column, column, none };
  Labels labels = Labels::last_column;
  std::string label;           // for `column`: its name, or its number from 1
  std::optional<bool> header;  // whether the first line holds names; decided by its cells if absent
};

// Both throw Error.
Table read_table(const std::string& path, const ReadOptions& options = {});
// The same for a file already in memory; `name` is for messages.
Table parse_table(std::string_view content, const std::string& name,
                  const ReadOptions& options = {});

// Labels in a file of their own, one per row: text with one column, or .npy with one dimension.
std::vector<std::string> read_labels(const std::string& path);

// The labels as signs: +1 for the class `positive` and -1 for all others. Without it there must be
// two classes, and the later one (by number where both are numbers, else by alphabet) is positive.
struct Signs {
  std::vector<int> y;
  std::string positive;
  std::string negative;  // "not setosa" where `positive` stands against several
};
Signs signs_of(const Table& table, const std::optional<std::string>& positive = std::nullopt);

enum class FileFormat { csv, npy };
// By the ending of the name: .csv (also .txt) or .npy. Throws Error for another one.
FileFormat format_of(const std::string& path);

// Numbers are written so that they read back the same; labels, where there are, come last (text
// only). The file is there as a whole or not at all. Throws Error.
void write_table(const std::string& path, const Table& table, FileFormat format);

}  // namespace mercer
