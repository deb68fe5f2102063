// mercer export MODEL -o FILE: a model for LIBSVM's programs.
#include <fmt/format.h>
#include <iostream>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>

#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/writing.hpp"
#include "data/place.hpp"

namespace mercer::cli {

namespace {

struct ExportCall {
  std::string model;
  std::string out;
  bool force = false;
  bool json = false;
};

// Classes that LIBSVM has another name for.
std::vector<std::pair<std::string, std::string>> renamed(const Model& model) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto labels = libsvm_labels(model);
  for (std::size_t c = 0; c < labels.size(); ++c)
    if (labels[c] != model.classes[c]) pairs.emplace_back(model.classes[c], labels[c]);
  return pairs;
}

ExitCode run_export(const ExportCall& options) {
  const bool to_stdout = options.out.empty() || options.out == "-";
  if (!to_stdout) check_new_file(options.out, options.force);
  if (to_stdout && options.json)
    throw Error("--json needs a file to write to (-o): stdout is taken by the model");
  const Model model = load_model(options.model).model;
  if (to_stdout) {
    std::cout << libsvm_model_text(model);
    return done;
  }
  write_libsvm_model(options.out, model);
  const std::size_t vectors = model.compacted().support.rows();
  if (options.json) {
    Json json{{"model", options.model},
              {"file", options.out},
              {"support", vectors},
              {"classes", Json::object()}};
    const auto labels = libsvm_labels(model);
    for (std::size_t c = 0; c < labels.size(); ++c) json["classes"][model.classes[c]] = labels[c];
    print(json);
    return done;
  }
  std::string text = fmt::format("{}: {} support vectors", options.out, vectors);
  for (const auto& [name, label] : renamed(model))
    text += fmt::format("\nclass {} is written as {}", data::shown(name), label);
  print(text);
  return done;
}

}  // namespace

void add_export(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<ExportCall>();
  Command* command = add_command(program, chosen, "export", "Write a model as a file of LIBSVM",
                                 options, run_export);
  command->add_option("MODEL", options->model, "the model")->required();
  command->add_option("-o,--out", options->out, "where to write; without it, to stdout")
      ->type_name("OUT");
  command->add_flag("--force", options->force, "replace the file if it is there");
  command->footer(
      "For kernels that LIBSVM has: linear, poly, rbf and sigmoid, also with a factor and a\n"
      "constant; for two classes, pairs of classes and regression; for data as they are, neither\n"
      "scaled nor encoded. LIBSVM's labels are whole numbers: two classes with names are written\n"
      "as -1 and 1, more as 1, 2, …, as `mercer convert` writes data.\n\n"
      "Examples:\n"
      "  mercer export spam.mercer -o spam.model\n"
      "  mercer convert new.csv new.libsvm && svm-predict new.libsvm spam.model answers");
}

}  // namespace mercer::cli
