// Any text as an encoding: one that prints to itself, or an Error.
#include <cstdint>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <string_view>

#include "checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto e = mercer::Encoding::parse(text);
    if (!(mercer::Encoding::parse(e.text()) == e)) fuzz::violation("the text is another encoding");
  } catch (const mercer::Error& error) {
    if (*error.what() == '\0') fuzz::violation("an error without a message");
  }
  return 0;
}
