// Any text as options of svm-train: options with a kernel, or an Error of one line.
#include <cstdint>
#include <mercer/error.hpp>
#include <mercer/libsvm.hpp>
#include <string_view>

#include "checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto options = mercer::parse_libsvm_options(text);
    if (options.folds && *options.folds < 2) fuzz::violation("a single fold");
    static_cast<void>(options.kernel(3).text());
  } catch (const mercer::Error& error) {
    const std::string_view what = error.what();
    if (what.empty()) fuzz::violation("an error without a message");
    if (what.find('\n') != std::string_view::npos) fuzz::violation("an error of several lines");
  }
  return 0;
}
