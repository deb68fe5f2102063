// From a file's columns to points, learned on the training data and applied to all that follow.
//
//     Encoding e = Encoding::fit(frame, {.missing = Missing::mean, .scaling = Scaling::standard});
//     Table train = e.apply(frame);
//     Table test = e.apply(read_frame("test.csv", e.reading()));
//
// A column of numbers becomes a coordinate, scaled; a column of categories a coordinate for each
// level seen in training, 1 where the row has it and 0 elsewhere, never scaled. With
// Missing::indicator a column that had holes in training gets one more coordinate, 1 where the
// value was missing. Columns are matched by name: their order does not matter, others may stand
// between them, and a missing one is an Error. Without names, here or there, they are matched by
// place: those of the training data, and perhaps one more at the end, which is the label. Where the
// label stood elsewhere in the training data, one more column is an Error until its place is said:
// files that were written since (data.hpp) have it at the end.
//
// A level that was not there in training is none of those that were: all its coordinates are 0. The
// report counts them.
//
// Scaling of numbers, by the training data:
//     standard   (x - mean) / standard deviation
//     minmax     (x - min) / (max - min), which is in [0, 1] in training
// Points that are sparse from the start (LIBSVM) are not centred, so that zero stays zero: standard
// divides by the standard deviation only, minmax by the largest |x|. A constant column is moved,
// but not divided.
//
// Where nobody knows how many columns the training data had, as in models of LIBSVM, the encoding
// is open: entries of sparse points beyond its dimension stay, instead of being ignored as new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/frame.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class Scaling { none, standard, minmax };

// Points that are sparse from the start, where scaling is asked for: scaled, left as they are, or
// scaled if they are measurements in units of their own. That is, most entries are there, and a
// quarter of the columns or more cannot be seen in distances beside the others, since their
// deviation is below a hundredth of what is usual.
enum class ScaleSparse { yes, no, if_uneven };

struct EncodingOptions {
  Missing missing = Missing::error;
  Scaling scaling = Scaling::none;
  ScaleSparse scale_sparse = ScaleSparse::yes;
  Points::Scalar scalar = Points::Scalar::float64;
};

// What was done to the rows of one file.
struct EncodingReport {
  struct Unseen {
    std::string column;
    std::string level;
    std::size_t rows = 0;
    bool operator==(const Unseen&) const = default;
  };
  std::vector<Unseen> unseen;        // levels that were not there in training
  std::size_t filled = 0;            // cells that were missing and got a value
  std::vector<std::size_t> dropped;  // rows left out, from 0
  std::size_t ignored = 0;           // entries in columns beyond those of training (LIBSVM)
  bool by_place = false;             // the training data had names of columns, the file has none
};

struct Encoding {
  struct Column {
    std::string name;
    bool categorical = false;
    std::vector<std::string> levels;
    double fill = 0;               // for a missing number
    std::int32_t fill_level = -1;  // for a missing category
    bool indicator = false;
    bool operator==(const Column&) const = default;
  };

  EncodingOptions options;
  bool named = false;   // columns are matched by name
  bool sparse = false;  // the points that it makes
  bool open = false;    // sparse points may have more coordinates than `dimension`, see below
  std::string label;    // the name of the labels' column
  std::size_t label_place = 0;  // and its place, as Labels::place
  std::vector<Column> columns;  // empty for points that were numbers from the start
  std::size_t dimension = 0;
  // Coordinate j becomes (x - centers[j]) / scales[j]; both empty without scaling.
  std::vector<double> centers;
  std::vector<double> scales;

  // Throw Error: a missing value without a policy, no row left.
  static Encoding fit(const Frame& frame, const EncodingOptions& options = {});
  static Encoding fit(const Table& table, const EncodingOptions& options = {});

  // Throw Error: a column that is not there, a value missing where none may be.
  [[nodiscard]] Table apply(const Frame& frame, EncodingReport* report = nullptr) const;
  [[nodiscard]] Table apply(const Table& table, EncodingReport* report = nullptr) const;

  // How to read a file for it: which columns are numbers and which categories.
  [[nodiscard]] ReadOptions reading(ReadOptions read = {}) const;

  // Of the coordinates: "age", "colour=red", "age missing"; and the columns they came from.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<std::string> sources() const;

  // As text, one line per column; parse(text()) is the same encoding. Throws Error.
  [[nodiscard]] std::string text() const;
  static Encoding parse(std::string_view text);

  bool operator==(const Encoding& other) const;
};

// Training data of any format with the encoding fitted on them; later files by that encoding.
struct EncodedTable {
  Table table;
  Encoding encoding;
  EncodingReport report;
};
EncodedTable read_training(const std::string& path, const ReadOptions& options,
                           const EncodingOptions& how);
Table read_encoded(const std::string& path, const Encoding& encoding,
                   const ReadOptions& options = {}, EncodingReport* report = nullptr);

}  // namespace mercer
