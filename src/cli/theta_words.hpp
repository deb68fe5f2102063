// θ of a model, for reading and for programs.
#pragma once

#include <mercer/model.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"

namespace mercer::cli {

// Both, from one computation.
struct ThetaWords {  // NOLINT(bugprone-exception-escape): Json's move is no promise
  std::vector<std::pair<std::string, std::string>> rows;  // a line for each feature, or why not
  Json json;
};
ThetaWords theta_words(const Model& model);

}  // namespace mercer::cli
