// Training data that are larger than memory: read once, in batches, into arrays on disk, which are
// then mapped into memory, a range of rows at a time.
//
// The points, labels and weights of one file are those of read_training, number by number: the sums
// behind the scaling run over the rows in the same order. Columns are numbers; levels of categories
// and means of missing values would have to be known before the first row is written.
//
// Several files may be read one after the other, by one process or by several, each with files of
// its own. What has to be known of all rows goes through the facts of each file, so that it does
// not matter who read which:
//
//     const Encoding columns = stored_columns(paths[0], reading, how);
//     RowStore store(folder);
//     for (path : mine) files.push_back(store.read(path, reading, columns));
//     StoreFacts facts = facts_of(all files, columns, how);      // in their order
//     store.finish(facts, first of mine);
//     fit_scales(facts, all deviations(…), in their order);
//     store.scale(facts);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/store_facts.hpp"

namespace mercer::data {

// Rows [first, first + points.rows()), mapped; what it shows lives as long as any of its points.
struct StoredRows {
  Points points;
  std::size_t first = 0;
  std::span<const double> numbers;      // labels, where they are numbers
  std::span<const std::int32_t> codes;  // and where they are classes
  std::span<const double> weights;
  // What of them was looked at leaves the memory of this process. It may be looked at again.
  std::function<void()> forget;
};

class RowStore {
 public:
  // In a new folder inside of `where`. Folders that others left there when they were killed are
  // removed. Throws Error.
  explicit RowStore(const std::string& where);
  // The whole of it, for one file. Leaves nothing behind where it throws Error.
  RowStore(const std::string& path, const ReadOptions& options, const EncodingOptions& how,
           const std::string& where);
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;
  ~RowStore();  // removes the folder; what is mapped stays

  // The rows of this file, behind those of the ones before. Throws Error.
  StoredFile read(const std::string& path, const ReadOptions& options, const Encoding& columns);
  // All files are read: rows get the numbers of their classes. `first` of all files is the first
  // here.
  void finish(const StoreFacts& facts, std::size_t first);
  // Σ (x - mean)² of the columns over the numbers that are stored, file by file.
  [[nodiscard]] std::vector<std::vector<double>> deviations(const StoreFacts& facts) const;
  void scale(const StoreFacts& facts);

  [[nodiscard]] const StoreFacts& facts() const { return facts_; }  // of one file
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  struct Range {  // of a file
    std::size_t rows = 0;
    std::size_t entries = 0;
    bool sparse = false;
  };
  template <class Use>
  void in_columns(const StoreFacts& facts, bool write_back, const Use& use) const;
  [[nodiscard]] std::string file(const char* name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::size_t rows() const;
  [[nodiscard]] std::size_t entries() const;
  void remove() noexcept;

  std::string folder_;
  int lock_ = -1;
  StoreFacts facts_;
  std::vector<Range> files_;
};

// Rows of a store that another process may have made; `facts` are about all rows, and [begin, end)
// counts those of the store.
StoredRows stored_rows(const std::string& folder, const StoreFacts& facts, std::size_t begin,
                       std::size_t end);

}  // namespace mercer::data
