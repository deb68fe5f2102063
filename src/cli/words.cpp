#include "cli/words.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace mercer::cli {

namespace {

constexpr char mark = '\x1f';

void collect_short_names(const Command& command, std::set<std::string>& names) {
  for (const auto& option : command.options())
    for (const auto& name : option.short_names()) names.insert("-" + name);
  for (const auto& second : command.commands()) collect_short_names(second, names);
}

// -x.z, -1, --(x.z): no option looks like that. Options are -o and --over, exactly or with a value
// behind "="; a word such as --ovr stays an option, so that the mistake is found.
bool is_operand(const std::string& word, const std::set<std::string>& short_names) {
  if (word.size() < 2 || word[0] != '-') return false;
  if (word[1] == '-')
    return word.size() > 2 && std::isalpha(static_cast<unsigned char>(word[2])) == 0;
  return !short_names.contains(word);
}

}  // namespace

std::vector<std::string> marked_words(const Command& program, int argc, const char* const* argv) {
  std::set<std::string> short_names;
  collect_short_names(program, short_names);
  std::vector<std::string> words(argv + 1, argv + argc);
  for (auto& word : words) {
    if (word == "--") break;
    if (is_operand(word, short_names)) word.insert(word.begin(), mark);
  }
  std::reverse(words.begin(), words.end());
  return words;
}

std::string unmarked(std::string text) {
  std::erase(text, mark);
  return text;
}

void unmark_options(Command& program) {
  const auto unmark = [](std::string& value) {
    value = unmarked(std::move(value));
    return std::string();
  };
  for (auto& command : program.commands()) unmark_options(command);
  for (auto& option : program.options())
    if (option.takes_value()) option.transform(unmark);
}

}  // namespace mercer::cli
