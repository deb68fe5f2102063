// Reading: what kind of file is it, and which column is the label?
#include <algorithm>
#include <array>
#include <charconv>
#include <mercer/data.hpp>

#include "base/text.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer {

namespace data {

std::size_t label_index(const std::string& label, const std::vector<std::string>& names,
                        std::size_t columns, const std::string& file) {
  const auto count = std::ranges::count(names, label);
  if (count > 1) fail(file, "two columns are named " + shown(label) + "; give the number instead");
  if (count == 1) return static_cast<std::size_t>(std::ranges::find(names, label) - names.begin());
  std::size_t number = 0;
  const auto [stop, status] = std::from_chars(label.data(), label.data() + label.size(), number);
  if (status == std::errc() && stop == label.data() + label.size()) {
    if (number >= 1 && number <= columns) return number - 1;
    fail(file,
         "there is no column " + label + " for the label; the file has " + std::to_string(columns));
  }
  if (names.empty())
    fail(file, "the columns have no names, so that the label " + shown(label) +
                   " cannot be found; give its number, from 1");
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string guess = nearest(label, known);
  fail(file, "there is no column " + shown(label) + " for the label" +
                 (guess.empty() ? "" : "; did you mean " + shown(guess) + "?"));
}

Table take_label(Matrix table, const std::string& file, const ReadOptions& options) {
  Table result;
  if (options.labels == ReadOptions::Labels::none) {
    result.points = std::move(table).points();
    return result;
  }
  const std::size_t at = options.labels == ReadOptions::Labels::column
                             ? label_index(options.label, table.names, table.columns, file)
                             : table.columns - 1;
  if (table.columns < 2)
    fail(file, "one column only, which would be the label; expected features beside it");
  std::vector<double> values;
  values.reserve(table.rows * (table.columns - 1));
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j)
      (j == at ? result.labels.numbers : values).push_back(table(i, j));
  result.points = Points::own(std::move(values), table.rows, table.columns - 1);
  return result;
}

namespace {

// What people also have at hand: better named than called junk.
std::string known_otherwise(std::string_view content) {
  if (content.starts_with("PK\x03\x04"))
    return "a zip archive (.npz, .xlsx); save one array as .npy, or the sheet as CSV";
  if (content.starts_with("\x89HDF")) return "HDF5; save the array as .npy or CSV";
  if (content.starts_with("PAR1")) return "Parquet; save the table as CSV";
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
    return "UTF-16 text; save it as UTF-8";
  return {};
}

struct Reader {
  FileFormat format;
  bool (*recognises)(std::string_view content);
  Table (*read)(const Source& source, const ReadOptions& options);
};

// By content; what none of them recognises is text in columns.
constexpr auto readers = std::to_array<Reader>({
    {FileFormat::npy, is_npy, read_npy},
    {FileFormat::libsvm, is_libsvm, read_libsvm},
});

Table read(const Source& source, const ReadOptions& options) {
  if (source.content.empty()) fail(source.name, "the file is empty");
  const std::string other = known_otherwise(source.content);
  if (!other.empty()) fail(source.name, "this is " + other);
  for (const auto& reader : readers)
    if (options.format ? *options.format == reader.format : reader.recognises(source.content))
      return reader.read(source, options);
  return read_text(source, options);
}

}  // namespace

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
  return data::read(data::source_of(content, name), options);
}

Table read_table(const std::string& path, const ReadOptions& options) {
  return data::read(data::open_source(path), options);
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
