// Random models of every shape, and what they say by the definition.
#pragma once

#include <cstddef>
#include <mercer/model.hpp>
#include <vector>

#include "random.hpp"

struct ModelShape {
  bool kernel_form = true;
  bool sparse = false;
  bool single = false;  // support points in float
  mercer::Model::Scheme scheme = mercer::Model::Scheme::one;
  bool regression = false;
  bool calibrated = false;
};

// Every combination that makes sense.
std::vector<ModelShape> model_shapes();

mercer::Model random_model(Random& random, const ModelShape& shape);

// Points for it: dense or sparse, float or double.
mercer::Points random_points(Random& random, std::size_t rows, std::size_t columns, bool sparse,
                             bool single);

// The scores of one point, one kernel value or feature at a time, straight from the formula.
std::vector<double> plain_scores(const mercer::Model& model, const std::vector<double>& x);
