// Tables of data: n points in R^d, one per row, and for each, where there are, a label, a weight
// and the group it belongs to.
//
//     Table t = read_table("iris.csv");             // the last column is the label
//     t.points;                                     // dense or sparse: see points.hpp
//     t.labels.text(0);                             // "setosa"
//
// Files are told apart by their content, not by their name:
//   LIBSVM label index:value index:value …, indices from 1 and ascending, zeros left out; also with
//          qid:group after the label and # comments (svmlight). Read as sparse points;
//   text   cells separated by commas, semicolons or tabs; they may stand in "quotes"; the first
//          line is taken for names where none of its feature cells is a number. A column without
//          any number is one of categories, and becomes a column of 0 and 1 for each of them;
//   .npy   one NumPy array of one or two dimensions: floats, whole numbers, truth values;
// and each of them packed by gzip.
//
// Reading is strict. A missing value, a cell that is not a finite number, rows of different length,
// anything else that would have to be guessed: Error, with file, line, column and the remedy.
#pragma once

#include <cstddef>
#include <mercer/labels.hpp>
#include <mercer/points.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class FileFormat { libsvm, csv, tsv, npy };

struct Table {
  Points points;
  std::vector<std::string> names;    // of the columns; empty where the file has none
  std::vector<std::string> sources;  // the column of the file that each came from: "colour" for
                                     // "colour=red"; empty where each is its own
  Labels labels;                     // empty without labels
  std::vector<double> weights;       // of the rows; empty: all 1
  std::vector<std::int64_t> groups;  // qid; empty without

  [[nodiscard]] std::size_t rows() const { return points.rows(); }
  [[nodiscard]] std::size_t columns() const { return points.columns(); }
  // For Kernel::with_columns: k["colour"] is about all columns that came from it.
  [[nodiscard]] const std::vector<std::string>& source_names() const {
    return sources.empty() ? names : sources;
  }
  // These rows in this order.
  [[nodiscard]] Table select(std::span<const std::size_t> rows) const;
};

// What becomes of a row with a missing value: an empty cell, ?, NA, NaN and their like.
enum class Missing {
  error,
  drop,       // the row is left out
  mean,       // the mean of the column; of categories, the most frequent one
  indicator,  // the mean, and a column of its own tells where it was missing; of categories, one
              // more category
};

struct ReadOptions {
  enum class Labels { last_column, column, none, column_if_there };
  Labels labels = Labels::last_column;
  std::string label;                 // for the `column`s: its name, or its number from 1
  bool text_labels = false;          // names of classes, in text even where all of them are numbers
  std::optional<FileFormat> format;  // told by the content if absent
  Points::Scalar scalar = Points::Scalar::float64;
  unsigned threads = 0;  // 0: all there are; the answer is the same for any number

  // Of text in columns. Columns are meant by name, or by number from 1.
  std::optional<bool> header;  // whether the first line holds names; decided by its cells if absent
  std::string weight;          // the column of the weights; empty: none
  std::vector<std::string> categories;  // columns that are categories though they look like numbers
  std::vector<std::string> numbers;     // columns that are numbers: other cells are an Error
  std::vector<std::string> ignore;      // columns that are left out
  std::optional<std::vector<std::string>> only;  // only these are read, and those named above
  bool numbers_only = false;                     // categories are an Error
  Missing missing = Missing::error;

  // Of LIBSVM.
  bool zero_based = false;  // indices begin at 0
  std::size_t columns = 0;  // so many at least, where the last ones may be all 0
};

// Both throw Error.
Table read_table(const std::string& path, const ReadOptions& options = {});
// The same for a file already in memory; `name` is for messages.
Table parse_table(std::string_view content, const std::string& name,
                  const ReadOptions& options = {});

// Labels in a file of their own, one per row: text with one column, or .npy with one dimension.
Labels read_labels(const std::string& path);

// How a file is written, by the ending of its name: .libsvm (also .svm, .svmlight, .dat), .csv
// (also .txt), .tsv or .npy, each also with .gz. Throws Error for another one.
struct WrittenAs {
  FileFormat format = FileFormat::csv;
  bool packed = false;  // by gzip
};
WrittenAs written_as(const std::string& path);

// Numbers are written so that they read back the same; labels come last, in LIBSVM first, weights
// in a column "weight" before them. What a format has no place for is left out: names and weights
// in LIBSVM and .npy, groups in all but LIBSVM. Text labels are numbered in LIBSVM (see below) and
// an Error in .npy. The file is there as a whole or not at all.
void write_table(const std::string& path, const Table& table, WrittenAs how);
inline void write_table(const std::string& path, const Table& table) {
  write_table(path, table, written_as(path));
}
// The same as text in memory.
std::string table_text(const Table& table, FileFormat format);

// LIBSVM's labels are numbers: what text labels are written as, -1 and 1 for two classes, 1, 2, …
// for more, in the order of `labels.classes`.
std::vector<std::string> libsvm_classes(const Labels& labels);

}  // namespace mercer
