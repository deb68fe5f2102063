// Writing: text with commas, or .npy.
#include <cstdint>
#include <mercer/data.hpp>

#include "base/text.hpp"
#include "data/file.hpp"
#include "data/place.hpp"

namespace mercer {

namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",;\t\"\n\r ") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string csv(const Table& table) {
  std::string text;
  const bool labels = !table.labels.empty();
  if (!table.names.empty()) {
    for (std::size_t j = 0; j < table.columns; ++j)
      text += (j == 0 ? "" : ",") + csv_cell(table.names[j]);
    if (labels) text += "," + csv_cell(table.label_name);
    text += '\n';
  }
  for (std::size_t i = 0; i < table.rows; ++i) {
    for (std::size_t j = 0; j < table.columns; ++j)
      text += (j == 0 ? "" : ",") + shortest(table(i, j));
    if (labels) text += "," + csv_cell(table.labels[i]);
    text += '\n';
  }
  return text;
}

// Version 1; the numbers begin at a multiple of 64 bytes.
std::string npy(const Table& table) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(table.rows) + ", " + std::to_string(table.columns) + "), }";
  constexpr std::size_t before = 10;
  constexpr std::size_t block = 64;
  header += std::string((block - (before + header.size() + 1) % block) % block, ' ') + '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xffU);
  bytes += static_cast<char>(header.size() >> 8U);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(table.values.data()),
               table.values.size() * sizeof(double));
  return bytes;
}

}  // namespace

FileFormat format_of(const std::string& path) {
  const auto dot = path.find_last_of("./");
  const std::string ending =
      dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot + 1);
  if (ending == "npy") return FileFormat::npy;
  if (ending == "csv" || ending == "txt") return FileFormat::csv;
  data::fail(path, "the ending tells the format to write: expected .csv or .npy");
}

void write_table(const std::string& path, const Table& table, FileFormat format) {
  if (format == FileFormat::npy && !table.labels.empty())
    throw Error(path + ": a .npy file holds numbers only, no labels; write .csv");
  data::replace(path, format == FileFormat::npy ? npy(table) : csv(table));
}

}  // namespace mercer
