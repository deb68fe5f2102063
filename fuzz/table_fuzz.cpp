// Any bytes at all as a table, whichever reader takes them: read or refused with an Error, in
// bounded time. What is read is rectangular and finite, has a label per row, and its signs can be
// asked for.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <string_view>

namespace {

using mercer::ReadOptions;
using mercer::Table;

[[noreturn]] void violation(const char* law) {
  std::fprintf(stderr, "%s\n", law);
  std::abort();
}

void check(const Table& table, ReadOptions::Labels labels) {
  if (table.rows() == 0 || table.columns() == 0) violation("an empty table");
  if (!table.names.empty() && table.names.size() != table.columns()) violation("names do not fit");
  const std::size_t wanted = labels == ReadOptions::Labels::none ? 0 : table.rows();
  if (table.labels.size() != wanted) violation("labels do not fit");
  for (const double v : mercer::dense(table.points).values)
    if (!std::isfinite(v)) violation("a value that is not finite");
}

void read(std::string_view content, const ReadOptions& options) {
  try {
    const Table table = mercer::parse_table(content, "input", options);
    check(table, options.labels);
    if (options.labels != ReadOptions::Labels::none) mercer::signs_of(table.labels);
  } catch (const mercer::Error& error) {
    if (*error.what() == '\0') violation("an error without a message");
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
