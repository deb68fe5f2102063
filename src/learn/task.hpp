// What is to be learned: the task behind the labels, and its targets.
#pragma once

#include <mercer/train.hpp>
#include <span>
#include <string>
#include <vector>

namespace mercer::learn {

struct Targets {
  Model::Task task = Model::Task::regression;
  Model::Scheme scheme = Model::Scheme::one;
  std::vector<std::string> classes;
  bool numeric_classes = false;
  Matrix y;
  std::vector<double> weights;  // of rows and classes together; empty: 1 each
};

// Of classes with so many rows each, as the options have it. Throws Error where one is not there.
std::vector<double> class_weights(const std::vector<std::string>& names,
                                  const std::vector<std::size_t>& counts,
                                  const TrainOptions& options);

// Whether so many different whole numbers among the labels of so many rows may be classes: two, or
// each of them twice in the mean.
bool few_for_classes(std::size_t values, std::size_t rows);

// Of those that count at all; 1 where there are none.
double mean_weight(std::span<const double> weights);

// Throws Error; adds what it chose to `chosen`.
Targets targets_of(const Table& table, const TrainOptions& options,
                   std::vector<std::string>& chosen);

}  // namespace mercer::learn
