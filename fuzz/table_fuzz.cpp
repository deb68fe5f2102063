// Any bytes at all as a table, whichever reader takes them: read or refused with an Error, in
// bounded time. What is read is rectangular and finite, has a label per row, and its signs can be
// asked for.
#include <cstdint>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <string_view>

#include "checks.hpp"

namespace {

using mercer::ReadOptions;
using mercer::Table;

void read(std::string_view content, const ReadOptions& options) {
  try {
    const Table table = mercer::parse_table(content, "input", options);
    fuzz::check(table);
    if (table.labels.empty() != (options.labels == ReadOptions::Labels::none))
      fuzz::violation("labels are there or not");
    if (options.labels != ReadOptions::Labels::none) mercer::signs_of(table.labels);
  } catch (const mercer::Error& error) {
    if (*error.what() == '\0') fuzz::violation("an error without a message");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  ReadOptions options;
  read(content, options);
  options.labels = ReadOptions::Labels::none;
  read(content, options);
  options.labels = ReadOptions::Labels::column;
  options.label = "2";
  read(content, options);
  options.label = "y";
  read(content, options);
  return 0;
}
