#include <fmt/format.h>

#include <mercer/gram.hpp>
#include <mercer/version.hpp>

#include "base/machine.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

}  // namespace

ExitCode print_version(bool json) {
  const auto available = gram_instructions();
  const std::string in_use = gram_instructions_in_use();
  if (json) {
    print(Json{{"version", version_text},
               {"compiler", compiler()},
               {"instructions", {{"in_use", in_use}, {"available", available}}},
               {"threads", hardware_threads()}});
    return done;
  }
  std::string instructions = in_use + " in use (of";
  for (const auto& name : available)
    instructions += (&name == available.data() ? " " : ", ") + name;
  instructions += ")";
  print(aligned({{"mercer", std::string(version_text)},
                 {"compiler", compiler()},
                 {"instructions", instructions},
                 {"threads", std::to_string(hardware_threads())}}));
  return done;
}

}  // namespace mercer::cli
