// What the commands that choose have in common: examples before they are encoded, groups, figures.
#pragma once

#include <mercer/cross_validation.hpp>
#include <mercer/examples.hpp>
#include <string>
#include <vector>

#include "cli/learner_options.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

// The rows of the file, with the labels of --labels where they are given. `groups`: a column that
// is left out then; empty: none. Throws Error.
struct ReadExamples {
  Examples examples;
  std::vector<std::int64_t> groups;
};
ReadExamples read_examples(const LearnerOptions& options, const std::string& groups);

void add_group_option(Command& command, std::string& groups);

// "0.9312 ± 0.0081"
std::string figure(const CrossValidation::Measure& m);
// A line for each measure, and what its parts were.
std::string table_of_parts(const CrossValidation& cv);
Json to_json(const CrossValidation& cv);

}  // namespace mercer::cli
