#include "cli/command.hpp"

namespace mercer::cli {

Command* new_command(Command& program, Chosen& chosen, const std::string& name,
                     const std::string& summary, bool& json, std::function<ExitCode()> run) {
  Command* command = program.add_subcommand(name, summary);
  command->add_flag("--json", json, "print the answer as JSON, for programs");
  command->callback([&chosen, &json, run = std::move(run)] {
    chosen.json = json;
    chosen.run = run;
  });
  return command;
}

}  // namespace mercer::cli
