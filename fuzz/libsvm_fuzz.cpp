// Any bytes as LIBSVM text: a table or an Error, the same on one thread and on several, and what is
// written reads back the same.
#include <algorithm>
#include <cstdint>
#include <mercer/error.hpp>
#include <string>
#include <string_view>

#include "checks.hpp"

namespace {

std::string outcome(std::string_view content, const mercer::ReadOptions& options) {
  try {
    const mercer::Table table = mercer::parse_table(content, "input", options);
    fuzz::check(table);
    return mercer::table_text(table, mercer::FileFormat::libsvm);
  } catch (const mercer::Error& error) {
    if (*error.what() == '\0') fuzz::violation("an error without a message");
    return std::string("error ") + error.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with("\x1f\x8b")) return 0;  // the table's affair
  mercer::ReadOptions options;
  options.format = mercer::FileFormat::libsvm;
  options.threads = 1;
  const std::string text = outcome(content, options);
  const bool text_labels = [&] {
    try {
      return !mercer::parse_table(content, "input", options).labels.classes.empty();
    } catch (const mercer::Error&) {
      return true;
    }
  }();
  if (!text_labels && outcome(text, options) != text) fuzz::violation("not read back the same");
  options.scalar = mercer::Points::Scalar::float32;
  options.zero_based = true;
  outcome(content, options);
  options.labels = mercer::ReadOptions::Labels::none;
  outcome(content, options);
  return 0;
}
