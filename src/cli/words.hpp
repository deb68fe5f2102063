// The words of the command line, before CLI11 sees them.
//
// An expression may begin with a minus sign: `mercer kernel -x.z`. CLI11 would take it for an
// option, so words that begin with a minus but are no option of the program are marked, and the
// mark is taken off again when the value is read.
#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace mercer::cli {

// argv without the program's name, marked, in CLI11's order (last first).
std::vector<std::string> marked_words(const Command& program, int argc, const char* const* argv);

// Takes marks off the values of all options, and off a message.
void unmark_options(Command& program);
std::string unmarked(std::string text);

}  // namespace mercer::cli
