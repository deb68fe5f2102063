// Options of commands, and commands of the program, as the files of the commands say them.
//
// CLI11 reads them. It is all templates, and would be compiled anew in each of these files: only
// options.cpp includes it. Names and meaning are CLI11's. A value of another type takes one more
// add_option, here and there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

// Looks at the text of a value: returns what is wrong with it, or nothing.
using Check = std::function<std::string(std::string& text)>;

class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option* type_name(const std::string& name);
  Option* required();
  Option* capture_default_str();  // the help tells the value that is there
  Option* check(const Check& check);
  Option* transform(const Check& change);  // before all checks
  Option* delimiter(char between);         // of several values in one word
  Option* allow_extra_args(bool allow);    // several words after one name
  Option* excludes(const Option* other);
  Option* excludes(const std::string& other);
  Option* needs(const Option* other);
  Option* range(std::size_t least, std::size_t most);

  // As they are written, without dashes.
  const std::vector<std::string>& long_names() const;
  const std::vector<std::string>& short_names() const;
  std::string operand() const;  // the name of one that is told by its place
  std::string type() const;
  const std::string& description() const;
  bool takes_value() const;
  bool is(const CLI::Option& other) const { return option_ == &other; }

 private:
  CLI::Option* option_;
};

// What CLI11 found wrong with a call.
class WrongCall : public std::runtime_error {
 public:
  enum class Kind { extra_words, something_missing, conversion, mismatch, exclude, other };

  WrongCall(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

class Command {
 public:
  Command(const std::string& about, const std::string& name);  // the program itself
  explicit Command(CLI::App& app);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  Command(Command&&) = delete;
  Command& operator=(Command&&) = delete;

  using Text = std::string;
  Option* add_flag(const Text& name, bool& value, const Text& help);
  Option* add_option(const Text& name, std::string& value, const Text& help);
  Option* add_option(const Text& name, double& value, const Text& help);
  Option* add_option(const Text& name, std::uint32_t& value, const Text& help);
  Option* add_option(const Text& name, std::uint64_t& value, const Text& help);
  Option* add_option(const Text& name, std::optional<std::string>& value, const Text& help);
  Option* add_option(const Text& name, std::optional<double>& value, const Text& help);
  Option* add_option(const Text& name, std::optional<int>& value, const Text& help);
  Option* add_option(const Text& name, std::optional<std::uint32_t>& value, const Text& help);
  Option* add_option(const Text& name, std::optional<std::uint64_t>& value, const Text& help);
  Option* add_option(const Text& name, std::vector<std::string>& value, const Text& help);
  Option* add_option(const Text& name, std::vector<std::uint64_t>& value, const Text& help);
  Option* get_option(const std::string& name);  // one that was added

  Command* add_subcommand(const std::string& name, const std::string& summary);
  Command* require_subcommand(std::size_t least, std::size_t most);
  Command* callback(std::function<void()> run);
  Command* footer(const std::string& text);

  const std::string& name() const;
  std::string description() const;
  const std::list<Option>& options() const { return options_; }
  std::list<Option>& options() { return options_; }
  const std::list<Command>& commands() const { return commands_; }
  std::list<Command>& commands() { return commands_; }
  std::string help() const;

  // Words without the program's name, the last one first. False: help was asked for, and printed.
  // Throws WrongCall.
  bool parse(std::vector<std::string> words);
  // After that: the command that was called, if any, and what no command or option took.
  const Command* called() const;
  std::vector<std::string> remaining() const;

 private:
  Option* added(CLI::Option* option);

  std::unique_ptr<CLI::App> program_;  // of the program itself
  CLI::App* app_;
  std::list<Option> options_;
  std::list<Command> commands_;
};

}  // namespace mercer::cli
