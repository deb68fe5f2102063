// What there is to say of a perceptron.
#pragma once

#include <mercer/perceptron.hpp>
#include <mercer/train.hpp>
#include <nlohmann/json.hpp>

namespace mercer::learn {

void report_perceptron(const Perceptron& p, const PerceptronOptions& o, Trained& trained,
                       nlohmann::ordered_json& summary);

}  // namespace mercer::learn
