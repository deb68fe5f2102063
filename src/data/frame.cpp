#include <mercer/frame.hpp>

#include "data/cell.hpp"
#include "data/columns.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer {

namespace {

Frame read(const data::Source& source, const ReadOptions& options, bool mixed) {
  if (data::format_in(source, options) != FileFormat::csv)
    data::fail(source.name,
               "this is not text in columns; expected cells separated by commas, "
               "semicolons or tabs");
  return data::frame_of(data::read_cells(source, options), mixed);
}

}  // namespace

std::string Frame::place(std::size_t column, Place where) const {
  std::string text =
      file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": column ";
  return text +
         (columns[column].name.empty() ? std::to_string(column + 1)
                                       : data::shown(columns[column].name)) +
         ": ";
}

bool means_missing(std::string_view cell) { return data::is_missing(data::trimmed(cell)); }

Frame read_frame(const std::string& path, const ReadOptions& options, bool mixed) {
  return read(data::open_source(path), options, mixed);
}

Frame parse_frame(std::string_view content, const std::string& name, const ReadOptions& options,
                  bool mixed) {
  return read(data::source_of(content, name), options, mixed);
}

}  // namespace mercer
