#include "cli/command.hpp"

namespace mercer::cli {

CLI::App* new_command(CLI::App& program, Chosen& chosen, const std::string& name,
                      const std::string& summary, bool& json, std::function<ExitCode()> run) {
  CLI::App* command = program.add_subcommand(name, summary);
  command->add_flag("--json", json, "print the answer as JSON, for programs");
  command->callback([&chosen, &json, run = std::move(run)] {
    chosen.json = json;
    chosen.run = run;
  });
  return command;
}

}  // namespace mercer::cli
