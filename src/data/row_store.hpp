// Training data that are larger than memory: read once, in batches, into arrays on disk, which are
// then mapped into memory, a range of rows at a time.
//
// The points, labels and weights are those of read_training, number by number: the sums behind the
// scaling run over the rows in the same order. Columns are numbers; levels of categories and means
// of missing values would have to be known before the first row is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/encoding.hpp>
#include <span>
#include <string>
#include <vector>

namespace mercer::data {

// What is known of the rows.
struct StoreFacts {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t entries = 0;  // numbers that are stored
  bool sparse = false;
  bool weighted = false;
  bool labelled = false;
  bool numeric = false;              // the labels are numbers
  std::vector<std::string> classes;  // empty where there are too many different labels
  std::vector<std::size_t> counts;   // rows of each
  std::string label;
  Encoding encoding;
  EncodingReport report;
};

// Rows [first, first + points.rows()), mapped; what it shows lives as long as any of its points.
struct StoredRows {
  Points points;
  std::size_t first = 0;
  std::span<const double> numbers;      // labels, where they are numbers
  std::span<const std::int32_t> codes;  // and where they are classes
  std::span<const double> weights;
};

class RowStore {
 public:
  // Reads `path`; the arrays are in a new folder inside of `where`. Throws Error, and leaves
  // nothing behind then.
  RowStore(const std::string& path, const ReadOptions& options, const EncodingOptions& how,
           const std::string& where);
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;
  ~RowStore();  // removes the folder; what is mapped stays

  [[nodiscard]] const StoreFacts& facts() const { return facts_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  void read(const std::string& path, const ReadOptions& options, const EncodingOptions& how);
  void finish_labels();
  void scale();
  [[nodiscard]] std::string file(const char* name) const { return folder_ + "/" + name; }

  std::string folder_;
  StoreFacts facts_;
  std::vector<double> sums_;
  std::vector<double> low_;
  std::vector<double> high_;
  std::vector<std::size_t> stored_;
  std::vector<std::string> provisional_;  // texts of classes, as they came
};

// Rows of a store that another process may have made.
StoredRows stored_rows(const std::string& folder, const StoreFacts& facts, std::size_t begin,
                       std::size_t end);

}  // namespace mercer::data
