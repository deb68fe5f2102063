// Any bytes after NumPy's magic word: a table or an Error, and what is written reads back the same.
#include <cstdint>
#include <mercer/error.hpp>
#include <string>

#include "checks.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content = "\x93NUMPY" + std::string(reinterpret_cast<const char*>(data), size);
  mercer::ReadOptions options;
  using Labels = mercer::ReadOptions::Labels;
  for (const auto labels : {Labels::none, Labels::last_column, Labels::column})
    for (const auto scalar : {mercer::Points::Scalar::float32, mercer::Points::Scalar::float64}) {
      options.labels = labels;
      options.label = "2";
      options.scalar = scalar;
      try {
        const mercer::Table table = mercer::parse_table(content, "input", options);
        fuzz::check(table);
        const std::string text = mercer::table_text(table, mercer::FileFormat::npy);
        mercer::ReadOptions again;
        again.labels = labels == Labels::none ? Labels::none : Labels::last_column;
        if (mercer::table_text(mercer::parse_table(text, "again", again),
                               mercer::FileFormat::npy) != text)
          fuzz::violation("not read back the same");
      } catch (const mercer::Error& error) {
        if (*error.what() == '\0') fuzz::violation("an error without a message");
      }
    }
  return 0;
}
