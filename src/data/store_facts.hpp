// What has to be known of all rows of a store (row_store.hpp): each file tells what it holds, and
// what all of them come to does not depend on who read which.
#pragma once

#include <cstddef>
#include <mercer/encoding.hpp>
#include <string>
#include <vector>

namespace mercer::data {

// More different labels than this are quantities, and none of them is remembered.
inline constexpr std::size_t most_classes_stored = 1000;

// What one file holds.
struct StoredFile {
  std::string path;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t entries = 0;  // numbers that are stored
  bool sparse = false;
  bool weighted = false;
  bool labelled = false;
  bool numeric = false;  // the labels are numbers
  std::string label;
  std::vector<std::string> classes;  // labels as they came, where they are text
  std::vector<double> values;       // different ones, ascending, where they are numbers; none where
                                    // there are too many
  std::vector<std::size_t> counts;  // rows of each of these
  std::vector<double> sums, low, high;  // of each column
  std::vector<std::size_t> stored;      // numbers in each column
  EncodingReport report;
};

// What is known of all rows.
struct StoreFacts {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t entries = 0;
  bool sparse = false;
  bool weighted = false;
  bool labelled = false;
  bool numeric = false;
  std::vector<std::string> classes;  // empty where there are too many different labels
  std::vector<std::size_t> counts;   // rows of each
  std::string label;
  Encoding encoding;
  EncodingReport report;
  std::vector<StoredFile> files;
};

// How the columns of a file are read: as numbers, as they are. Throws Error.
Encoding stored_columns(const std::string& path, const ReadOptions& options,
                        const EncodingOptions& how);
// Throws Error where the files do not go together.
StoreFacts facts_of(std::vector<StoredFile> files, const Encoding& columns,
                    const EncodingOptions& how);

// Of each column.
std::vector<double> means_of(const StoreFacts& facts);

// Whether coordinates are to be scaled at all; and by these deviations, file by file.
bool scales_wanted(const StoreFacts& facts);
void fit_scales(StoreFacts& facts, const std::vector<std::vector<double>>& deviations);

}  // namespace mercer::data
