// C, and the width of an rbf kernel that was not given, by cross-validation on a sample.
#pragma once

#include <mercer/train.hpp>
#include <optional>

#include "learn/course.hpp"

namespace mercer::learn {

struct SvmChoice {
  double C = 1;
  double gamma = 0;      // of the rbf kernel, where it was to be chosen
  double merit = 0;      // the share of classes that were right, or R²
  std::size_t rows = 0;  // of the sample
};

// For classes, or numbers. The kernel is the one of the options, or without that an rbf whose width
// is near `gamma`. Nothing where there are too few examples to tell, or numbers that are all equal.
std::optional<SvmChoice> choose_svm(const Table& table, Model::Task task,
                                    const TrainOptions& options, double gamma,
                                    const Course& course);

}  // namespace mercer::learn
