// Options of commands that learn a rule: which learner, which kernel, and how.
#pragma once

#include <cstdint>
#include <mercer/encoding.hpp>
#include <mercer/train.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/computing.hpp"
#include "cli/options.hpp"
#include "cli/table_options.hpp"

namespace mercer::cli {

inline constexpr const char* one_class = "one-class";

struct LearnerOptions {  // NOLINT(clang-analyzer-optin.performance.Padding): in the order of the
                         // help
  TableOptions table;
  std::string kernel;
  std::string map;
  bool explicit_form = false;
  std::string learner;
  std::string task;
  std::string scale;
  std::optional<double> lambda;
  std::optional<std::size_t> passes;
  std::uint64_t seed = 0;
  std::string out;
  bool force = false;
  std::string trace;
  bool offset = false;
  bool no_offset = false;
  std::vector<std::string> class_weights;
  // perceptron
  std::string order;
  double margin = 0;
  bool averaged = false;
  std::size_t budget = 0;
  // gradient descent
  std::optional<double> step;
  double momentum = 0;
  std::size_t batch = 0;
  std::size_t eigenvectors = 0;
  double held_out = 0;
  // ridge
  bool leave_one_out = false;
  std::string approx;
  std::string loss;
  // support vectors
  std::optional<double> C;
  std::optional<double> nu;
  std::optional<double> epsilon;
  bool hard_margin = false;
  std::string multiclass;
  std::optional<double> tolerance;
  std::optional<std::size_t> moves;
  double seconds = 0;
  std::string checkpoint;
  std::optional<double> checkpoint_every;
  bool probability = false;
  std::string libsvm;
  Computing computing;
  std::size_t memory = 1792;
  bool json = false;
};

// All but those about files that are written.
void add_learner_options(Command& command, LearnerOptions& options);

// The learner that is asked for, by name or by an option that only it has; empty: none. Throws
// Error for an option of another one, which would do nothing.
std::string learner_of(const LearnerOptions& options);
TrainOptions train_options(const LearnerOptions& options, const std::string& learner);

// How the columns become points.
EncodingOptions encoding_options(const LearnerOptions& options);
// "scale: standard, …", where that was not said; else empty.
std::string scale_note(const LearnerOptions& options, const Encoding& encoding);

// The kernel or map, for the columns of this table; names of columns are not looked up, unless the
// kernel is to be written out. Throws Error.
void set_rule(const LearnerOptions& options, const Table& table, TrainOptions& train);

// Where the model goes, if that is not said.
std::string default_model(const std::string& data);

}  // namespace mercer::cli
