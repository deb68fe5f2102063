// mercer completion bash|zsh: a script for the shell, made from the options themselves.
#include <algorithm>
#include <mercer/catalogue.hpp>
#include <mercer/error.hpp>
#include <mercer/made_data.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

namespace {

struct CompletionCall {
  std::string shell;
  const Command* program = nullptr;
  bool json = false;
};

std::vector<std::string> names_of(const std::vector<const Option*>& options) {
  std::vector<std::string> names;
  for (const auto* option : options) {
    for (const auto& name : option->long_names()) names.push_back("--" + name);
    for (const auto& name : option->short_names()) names.push_back("-" + name);
  }
  return names;
}

std::vector<const Option*> options_of(const Command& command) {
  std::vector<const Option*> options;
  for (const auto& option : command.options()) options.push_back(&option);
  return options;
}

// Of a command in two words, those of all second words, too.
std::vector<const Option*> options_of_all(const Command& command) {
  std::vector<const Option*> options = options_of(command);
  for (const auto& second : command.commands())
    for (const auto& option : second.options())
      if (std::ranges::none_of(options, [&](const auto* other) {
            return other->long_names() == option.long_names();
          }))
        options.push_back(&option);
  return options;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

// What can stand in the place of an operand: kernels by name, the sets of `make`, the shells
// of this command.
std::string operands(const Command& command) {
  std::string seconds;
  for (const auto& second : command.commands())
    seconds += (seconds.empty() ? "" : " ") + second.name();
  if (!seconds.empty()) return seconds;
  for (const auto& option : command.options()) {
    const std::string name = option.operand();
    if (name == "SHELL") return "bash zsh";
    if (name == "KIND") {
      std::string text;
      for (const auto& kind : made_kinds())
        text += (text.empty() ? "" : " ") + std::string(kind.name);
      return text;
    }
    if (name == "EXPR" || name == "NAME" || name == "K1") {
      std::string text;
      for (const auto& info : catalogue())
        text += (text.empty() ? "" : " ") + std::string(info.name);
      return text;
    }
  }
  return "";
}

// Whether files can stand there; bash offers these by itself where there is nothing else.
bool takes_files(const Command& command) {
  if (!command.commands().empty()) return true;
  for (const auto& option : command.options()) {
    const std::string name = option.operand();
    if (name == "DATA" || name == "FILE" || name == "IN" || name == "MODEL") return true;
  }
  return false;
}

// In single quotes, for either shell.
std::string quote(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string bash_script(const Command& program) {
  std::string cases;
  std::string commands;
  for (const auto& command : program.commands()) {
    commands += (commands.empty() ? "" : " ") + command.name();
    cases += "    " + command.name() +
             ")\n      options=" + quote(joined(names_of(options_of_all(command)))) +
             "\n      operands=" + quote(operands(command)) + " ;;\n";
  }
  return "# bash completion for mercer; load with: source <(mercer completion bash)\n"
         "_mercer() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='' operands=''\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W " +
         quote(commands + " " + joined(names_of(options_of(program)))) +
         " -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _mercer mercer";
}

// In _arguments, colons and brackets have a meaning of their own.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_script(const Command& program) {
  std::string commands;
  std::string cases;
  for (const auto& command : program.commands()) {
    commands += "    " + quote(command.name() + ":" + zsh_text(command.description())) + "\n";
    std::string arguments;
    for (const auto* option : options_of_all(command)) {
      const bool takes_value = option->takes_value();
      const std::string type = option->type();
      const std::string offer = type == "FILE" || type == "OUT" ? "_files" : "";
      for (const auto& name : option->long_names())
        arguments +=
            " \\\n        " + quote("--" + name + "[" + zsh_text(option->description()) + "]" +
                                    (takes_value ? ":" + zsh_text(type) + ":" + offer : ""));
    }
    const std::string words = operands(command);
    if (!words.empty()) arguments += " \\\n        " + quote("*:operand:(" + words + ")");
    if (takes_files(command)) arguments += " \\\n        " + quote("*:file:_files");
    cases += "    " + command.name() + ") _arguments" + arguments + " ;;\n";
  }
  return "#compdef mercer\n"
         "# zsh completion for mercer; put it as _mercer into a folder of $fpath\n"
         "_mercer() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe 'command' commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _mercer ]]; then\n"
         "  _mercer \"$@\"\n"
         "else\n"
         "  compdef _mercer mercer\n"
         "fi";
}

ExitCode run_completion(const CompletionCall& options) {
  if (options.shell != "bash" && options.shell != "zsh")
    throw Error("completion is there for bash and zsh, not for '" + options.shell + "'");
  const std::string script =
      options.shell == "bash" ? bash_script(*options.program) : zsh_script(*options.program);
  if (options.json) {
    print(Json{{"shell", options.shell}, {"script", script}});
  } else {
    print(script);
  }
  return done;
}

}  // namespace

void add_completion(Command& program, Chosen& chosen) {
  const auto options = std::make_shared<CompletionCall>();
  options->program = &program;
  Command* command =
      add_command(program, chosen, "completion", "Print a completion script for the shell", options,
                  run_completion);
  command->add_option("SHELL", options->shell, "bash or zsh")->required();
  command->footer(
      "Examples:\n"
      "  source <(mercer completion bash)                 # now\n"
      "  mercer completion zsh > ~/.zfunc/_mercer         # for good, with ~/.zfunc in $fpath");
}

}  // namespace mercer::cli
