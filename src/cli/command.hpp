// What a command is: options added to the program, and what to do once they are read.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/options.hpp"

namespace mercer::cli {

// Set by the command that was called.
struct Chosen {
  std::function<ExitCode()> run;
  bool json = false;
};

using Adder = void (*)(Command& program, Chosen& chosen);

// One file each.
void add_kernel(Command& program, Chosen& chosen);
void add_eval(Command& program, Chosen& chosen);
void add_kernels(Command& program, Chosen& chosen);
void add_prove(Command& program, Chosen& chosen);
void add_features(Command& program, Chosen& chosen);
void add_equal(Command& program, Chosen& chosen);
void add_separable(Command& program, Chosen& chosen);
void add_check_gram(Command& program, Chosen& chosen);
void add_gram(Command& program, Chosen& chosen);
void add_train(Command& program, Chosen& chosen);
void add_plan(Command& program, Chosen& chosen);
void add_cv(Command& program, Chosen& chosen);
void add_tune(Command& program, Chosen& chosen);
void add_auto(Command& program, Chosen& chosen);
void add_predict(Command& program, Chosen& chosen);
void add_evaluate(Command& program, Chosen& chosen);
void add_inspect(Command& program, Chosen& chosen);
void add_import(Command& program, Chosen& chosen);
void add_export(Command& program, Chosen& chosen);
void add_data(Command& program, Chosen& chosen);
void add_make(Command& program, Chosen& chosen);
void add_convert(Command& program, Chosen& chosen);
void add_plot(Command& program, Chosen& chosen);
void add_studio(Command& program, Chosen& chosen);
void add_completion(Command& program, Chosen& chosen);

// A command with --json among its options; `run` does it.
Command* new_command(Command& program, Chosen& chosen, const std::string& name,
                     const std::string& summary, bool& json, std::function<ExitCode()> run);

// A command whose options live as long as the program.
template <class Options>
Command* add_command(Command& program, Chosen& chosen, const std::string& name,
                     const std::string& summary, const std::shared_ptr<Options>& options,
                     ExitCode (*run)(const Options&)) {
  return new_command(program, chosen, name, summary, options->json,
                     [options, run] { return run(*options); });
}

ExitCode print_version(bool json);

}  // namespace mercer::cli
