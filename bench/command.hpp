// What other programs say.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace mercer::bench {

// The output of a command of the shell.
inline std::string run(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> part{};
  while (pipe && fgets(part.data(), part.size(), pipe.get()) != nullptr) text += part.data();
  return text;
}

}  // namespace mercer::bench
