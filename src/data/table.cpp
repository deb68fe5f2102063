// Reading: what kind of file is it, and which column is the label?
#include <algorithm>
#include <array>
#include <charconv>
#include <mercer/data.hpp>
#include <mercer/encoding.hpp>
#include <mercer/matrix.hpp>

#include "base/text.hpp"
#include "data/columns.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer {

namespace data {

std::size_t label_index(const std::string& label, const std::vector<std::string>& names,
                        std::size_t columns, const std::string& file) {
  return column_index(label, names, columns, file, "the label");
}

std::size_t column_index(const std::string& column, const std::vector<std::string>& names,
                         std::size_t columns, const std::string& file, const std::string& what) {
  const auto count = std::ranges::count(names, column);
  if (count > 1)
    fail(file, "two columns are named " + shown(column) +
                   "; give the number instead, or name them apart");
  if (count == 1) return static_cast<std::size_t>(std::ranges::find(names, column) - names.begin());
  std::size_t number = 0;
  const auto [stop, status] = std::from_chars(column.data(), column.data() + column.size(), number);
  if (status == std::errc() && stop == column.data() + column.size()) {
    if (number >= 1 && number <= columns) return number - 1;
    fail(file, "there is no column " + column + " for " + what + "; the file has " +
                   std::to_string(columns));
  }
  if (names.empty())
    fail(file, "the columns have no names, so that " + shown(column) + " for " + what +
                   " cannot be found; give its number, from 1");
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string guess = nearest(column, known);
  fail(file, "there is no column " + shown(column) + " for " + what +
                 (guess.empty() ? "" : "; did you mean " + shown(guess) + "?"));
}

namespace {

// What people also have at hand: better named than called junk.
std::string known_otherwise(std::string_view content) {
  if (content.starts_with("PK\x03\x04"))
    return "a zip archive (.npz, .xlsx); save one array as .npy, or the sheet as CSV";
  if (content.starts_with("\x89HDF")) return "HDF5; save the array as .npy or CSV";
  if (content.starts_with("\x89mercer\n")) return "a model of mercer, where data are expected";
  if (content.starts_with("PAR1")) return "Parquet; save the table as CSV";
  if (content.starts_with("BZh")) return "packed by bzip2; unpack it first (.gz is read as it is)";
  if (content.starts_with("\xfd"
                          "7zXZ"))
    return "packed by xz; unpack it first (.gz is read as it is)";
  if (content.starts_with("\x28\xb5\x2f\xfd"))
    return "packed by zstd; unpack it first (.gz is read as it is)";
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
    return "UTF-16 text; save it as UTF-8";
  return {};
}

}  // namespace

FileFormat format_in(const Source& source, const ReadOptions& options) {
  const std::string_view content = source.content;
  if (content.empty()) fail(source.name, "the file is empty");
  const std::string other = known_otherwise(content);
  if (!other.empty()) fail(source.name, "this is " + other);
  if (options.format) return options.format == FileFormat::tsv ? FileFormat::csv : *options.format;
  if (is_npy(content)) return FileFormat::npy;
  return is_libsvm(content) ? FileFormat::libsvm : FileFormat::csv;
}

// Only text in columns knows columns by name.
void refuse_columns(const Source& source, const ReadOptions& options, FileFormat format) {
  if (format == FileFormat::csv) return;
  const std::string kind = format == FileFormat::npy ? "a .npy file" : "LIBSVM";
  if (!options.categories.empty() || !options.ignore.empty() || !options.weight.empty())
    fail(source.name, "this is " + kind +
                          ": categories, weights and columns to ignore are a matter of text in "
                          "columns");
  if (format == FileFormat::libsvm && options.labels == ReadOptions::Labels::column)
    fail(source.name, "this is LIBSVM: the label stands first in every line; leave --label out");
}

Table read_source(const Source& source, const ReadOptions& options) {
  const FileFormat format = format_in(source, options);
  refuse_columns(source, options, format);
  const auto encoded = [&](const Frame& frame) {
    EncodingOptions how;
    how.missing = options.missing;
    how.scalar = options.scalar;
    return Encoding::fit(frame, how).apply(frame);
  };
  if (format == FileFormat::libsvm) return read_libsvm(source, options);
  if (format == FileFormat::npy)
    return options.missing != Missing::error && npy_has_holes(source)
               ? encoded(npy_frame(source, options))
               : read_npy(source, options);
  const Cells cells = read_cells(source, options);
  if (auto table = plain_table(cells, options.scalar)) return std::move(*table);
  return encoded(frame_of(cells, false));
}

}  // namespace data

Table Table::select(std::span<const std::size_t> rows) const {
  Table part;
  part.points = points.select(rows);
  part.names = names;
  part.sources = sources;
  part.labels = labels.select(rows);
  for (const std::size_t i : rows) {
    if (!weights.empty()) part.weights.push_back(weights[i]);
    if (!groups.empty()) part.groups.push_back(groups[i]);
  }
  return part;
}

Table parse_table(std::string_view content, const std::string& name, const ReadOptions& options) {
  return data::read_source(data::source_of(content, name), options);
}

Table read_table(const std::string& path, const ReadOptions& options) {
  return data::read_source(data::open_source(path), options);
}

Labels read_labels(const std::string& path) {
  const data::Source source = data::open_source(path);
  if (source.content.empty()) data::fail(path, "the file is empty");
  if (!data::is_npy(source.content)) return labels_of(data::read_label_lines(source));
  ReadOptions options;
  options.labels = ReadOptions::Labels::none;
  const Table table = data::read_npy(source, options);
  if (table.columns() != 1)
    data::fail(path, "labels are one number per row; this array has " +
                         std::to_string(table.columns()) + " columns");
  Labels labels;
  labels.numbers = dense(table.points).values;
  return labels;
}

}  // namespace mercer
