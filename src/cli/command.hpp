// What a command is: options added to the program, and what to do once they are read.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"

namespace mercer::cli {

// Set by the command that was called.
struct Chosen {
  std::function<ExitCode()> run;
  bool json = false;
};

using Adder = void (*)(CLI::App& program, Chosen& chosen);

// One file each.
void add_kernel(CLI::App& program, Chosen& chosen);
void add_eval(CLI::App& program, Chosen& chosen);
void add_kernels(CLI::App& program, Chosen& chosen);
void add_prove(CLI::App& program, Chosen& chosen);
void add_features(CLI::App& program, Chosen& chosen);
void add_equal(CLI::App& program, Chosen& chosen);
void add_separable(CLI::App& program, Chosen& chosen);
void add_check_gram(CLI::App& program, Chosen& chosen);
void add_gram(CLI::App& program, Chosen& chosen);
void add_train(CLI::App& program, Chosen& chosen);
void add_cv(CLI::App& program, Chosen& chosen);
void add_tune(CLI::App& program, Chosen& chosen);
void add_auto(CLI::App& program, Chosen& chosen);
void add_predict(CLI::App& program, Chosen& chosen);
void add_evaluate(CLI::App& program, Chosen& chosen);
void add_inspect(CLI::App& program, Chosen& chosen);
void add_import(CLI::App& program, Chosen& chosen);
void add_export(CLI::App& program, Chosen& chosen);
void add_data(CLI::App& program, Chosen& chosen);
void add_make(CLI::App& program, Chosen& chosen);
void add_convert(CLI::App& program, Chosen& chosen);
void add_plot(CLI::App& program, Chosen& chosen);
void add_studio(CLI::App& program, Chosen& chosen);
void add_completion(CLI::App& program, Chosen& chosen);

// A command with --json among its options; `run` does it. Not in the header: whoever makes an App
// compiles all of CLI11.
CLI::App* new_command(CLI::App& program, Chosen& chosen, const std::string& name,
                      const std::string& summary, bool& json, std::function<ExitCode()> run);

// A command whose options live as long as the program.
template <class Options>
CLI::App* add_command(CLI::App& program, Chosen& chosen, const std::string& name,
                      const std::string& summary, const std::shared_ptr<Options>& options,
                      ExitCode (*run)(const Options&)) {
  return new_command(program, chosen, name, summary, options->json,
                     [options, run] { return run(*options); });
}

ExitCode print_version(bool json);

}  // namespace mercer::cli
