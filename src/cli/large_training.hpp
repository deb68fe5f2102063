// Training on data that stay on disk, by one rank or by several, each with its share of the rows.
#pragma once

#include <cstddef>
#include <functional>
#include <mercer/train.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "data/row_store.hpp"

namespace mercer::cli {

struct LargeCall {
  std::vector<std::string> paths;
  ReadOptions reading;
  EncodingOptions encoding;
  std::string folder;  // where the arrays are, for as long as they are needed
};

struct LargeResult {
  data::StoreFacts facts;
  Trained trained;
  std::vector<std::size_t> peaks;  // memory of each rank at most, in MiB
};

// At rank 0 the result, and elsewhere nothing. Where it fails, rank 0 throws Error, and others
// comm::Over. `prepare` completes the options by what the data
// are, at rank 0 alone; some of the points are there to be looked at.
std::optional<LargeResult> train_on_disk(
    const comm::Comm& comm, const LargeCall& call, TrainOptions& options,
    const std::function<void(const data::StoreFacts&, const Points& some)>& prepare);

// All rows of these files as a table, for one process; its points are on disk, and mapped.
EncodedTable read_files(const LargeCall& call);

// Whether the points of a file, and what is computed from them, would not fit: as numbers, a file
// takes about its own size, a packed one some times that.
bool file_too_large(const std::string& path, std::size_t memory);

// The table without its rows, for what is said by columns.
Table without_rows(const data::StoreFacts& facts);

}  // namespace mercer::cli
