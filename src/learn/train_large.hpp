// From data that are too many for a Gram matrix to a model: what `train` does where an
// approximation is asked for, on one rank or on several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/train.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"

namespace mercer::learn {

// The rows of a rank, and what is known of all.
struct LargeTable {
  Points points;
  std::size_t first = 0;                // the number of the first of them
  std::size_t all = 0;                  // rows of all ranks
  std::vector<std::size_t> files = {};  // the first rows here of further files
  // Labels: numbers where all are, and classes where there are not too many different ones.
  std::span<const double> numbers = {};
  std::span<const std::int32_t> codes = {};
  std::vector<std::string> classes = {};  // names of the codes
  std::vector<std::size_t> counts = {};   // rows of each class, of all ranks
  bool numeric = false;                   // the labels are numbers
  std::span<const double> weights = {};
  std::string label = {};
  std::function<void()> forget = {};  // of rows that are mapped, see scale::Examples
};

// The same views on a table; `classes` keeps what it does not have.
LargeTable large_table(const Table& table, Classes& classes);

// At rank 0 the model; elsewhere nothing.
std::optional<Trained> train_large(const comm::Comm& comm, const LargeTable& table,
                                   const Encoding& encoding, const TrainOptions& options);

}  // namespace mercer::learn
