// Support vector machines for a table: one machine, or one for each pair of classes or for each
// class, and the model that they make.
#pragma once

#include <mercer/train.hpp>
#include <nlohmann/json_fwd.hpp>

#include "learn/course.hpp"
#include "learn/task.hpp"

namespace mercer::learn {

// Fills in the rule of trained.model, whose kernel or map is chosen already, and reports; `phi` are
// the images of the points under the map. Throws Error.
void train_svm(const Table& table, const Targets& targets, const TrainOptions& options, double C,
               const Points& phi, const Course& course, Trained& trained,
               nlohmann::ordered_json& summary);

}  // namespace mercer::learn
