// What predict and evaluate have in common: a model, data for it, and what is worth a note.
#pragma once

#include <mercer/model.hpp>
#include <mercer/table_stream.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/computing.hpp"
#include "cli/options.hpp"

namespace mercer::cli {

struct ModelOptions {
  std::string model;
  std::string data;
  std::string label;
  bool header = false;
  bool no_header = false;
  std::string format;
  bool zero_based = false;
  Computing computing;
};

// A model of mercer or of LIBSVM, told by how the file begins.
struct ModelFile {
  Model model;
  std::size_t bytes = 0;
  std::optional<Model::FileFacts> facts;  // of a file of mercer
};
// Throws Error.
ModelFile load_model(const std::string& path);

// As many rows as are read and predicted at once.
inline constexpr std::size_t rows_at_once = 4096;

void add_model_options(Command& command, ModelOptions& options);

ReadOptions read_options(const ModelOptions& options);
PredictOptions predict_options(const ModelOptions& options);

// What was done to the data that their owner may not expect, a sentence each; `fate` of the rows
// with missing values that a model cannot use.
std::vector<std::string> notes_of(const EncodingReport& report, const Encoding& encoding,
                                  const std::string& fate = "left out");
void print_notes(const std::vector<std::string>& notes);  // to stderr

}  // namespace mercer::cli
