// Rows for training and rows for testing, chosen by a seed: the same on every machine.
//
//     Split s = split(table.labels, {.seed = 1});         // a quarter for testing
//     Table train = table.select(s.train);
//     for (const Split& fold : folds(table.labels, 5))    // each row is tested once
//
// Stratified: each class is split by itself, so that every part has its share of each (up to a
// row). Labels that are numbers with many values are quantities, and are not stratified by default.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mercer/labels.hpp>
#include <optional>
#include <span>
#include <vector>

namespace mercer {

struct Split {
  std::vector<std::size_t> train;  // rows, ascending
  std::vector<std::size_t> test;
};

struct SplitOptions {
  double test = 0.25;  // the share of the rows for testing
  std::uint64_t seed = 0;
  std::optional<bool> stratify;  // absent: where the labels are classes, at most 100 of them
};

// Both throw Error: too few rows, a share that leaves a part empty.
Split split(const Labels& labels, const SplitOptions& options = {});
Split split(std::size_t rows, const SplitOptions& options = {});

// k parts; the i-th split tests the i-th part and trains on the others.
std::vector<Split> folds(const Labels& labels, std::size_t k, const SplitOptions& options = {});
std::vector<Split> folds(std::size_t rows, std::size_t k, const SplitOptions& options = {});

// Rows of a group are always together, in training or in testing: those of one patient, one day.
// Parts are as equal as the groups allow.
std::vector<Split> folds_of_groups(std::span<const std::int64_t> groups, std::size_t k,
                                   std::uint64_t seed = 0);

}  // namespace mercer
