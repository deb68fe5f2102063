#include "base/instructions.hpp"

#include <cctype>
#include <cstdlib>
#include <mercer/error.hpp>
#include <string_view>

namespace mercer {

namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto next = [](std::string_view s, std::size_t& i) {
    while (i < s.size() && (s[i] == '-' || s[i] == '_')) ++i;
    return i < s.size() ? std::tolower(static_cast<unsigned char>(s[i++])) : 0;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    const int c = next(a, i);
    if (c != next(b, j)) return false;
    if (c == 0) return true;
  }
}

std::size_t find(std::span<const std::string> names, const std::string& wanted,
                 const std::string& asked) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (same_name(names[i], wanted)) return i;
    all += (all.empty() ? "" : ", ") + names[i];
  }
  throw Error(asked + ": there is no such instruction set here; this machine has " + all);
}

}  // namespace

std::string instructions_name(const std::string& target) {
  if (target == "AVX3") return "AVX-512";
  if (target == "SCALAR" || target == "EMU128") return "scalar";
  return target;
}

std::mutex& instructions_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::size_t find_instructions(std::span<const std::string> names, const std::string& wanted) {
  if (!wanted.empty()) return find(names, wanted, wanted);
  const char* asked = std::getenv("MERCER_ISA");  // NOLINT(concurrency-mt-unsafe): never set here
  if (asked == nullptr || *asked == '\0') return 0;
  return find(names, asked, "MERCER_ISA=" + std::string(asked));
}

}  // namespace mercer
