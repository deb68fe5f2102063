// Reading: what kind of file is it, and which column is the label?
#include <algorithm>
#include <array>
#include <charconv>
#include <mercer/data.hpp>
#include <set>

#include "base/text.hpp"
#include "data/file.hpp"
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

Table take_label(Table table, const std::string& file, const ReadOptions& options) {
  if (options.labels == ReadOptions::Labels::none) return table;
  const std::size_t at = options.labels == ReadOptions::Labels::column
                             ? label_index(options.label, table.names, table.columns, file)
                             : table.columns - 1;
  if (table.columns < 2)
    fail(file, "one column only, which would be the label; expected features beside it");
  Table result;
  result.rows = table.rows;
  result.columns = table.columns - 1;
  result.values.reserve(result.rows * result.columns);
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) {
      if (j == at) {
        result.labels.push_back(shortest(table(i, j)));
      } else {
        result.values.push_back(table(i, j));
      }
    }
  for (std::size_t j = 0; j < table.names.size(); ++j)
    (j == at ? result.label_name : result.names.emplace_back()) = table.names[j];
  return result;
}

namespace {

// What people also have at hand: better named than called junk.
std::string known_otherwise(std::string_view content) {
  if (content.starts_with("\x1f\x8b")) return "gzip; unpack it first with gunzip";
  if (content.starts_with("PK\x03\x04"))
    return "a zip archive (.npz, .xlsx); save one array as .npy, or the sheet as CSV";
  if (content.starts_with("\x89HDF")) return "HDF5; save the array as .npy or CSV";
  if (content.starts_with("PAR1")) return "Parquet; save the table as CSV";
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff"))
    return "UTF-16 text; save it as UTF-8";
  return {};
}

struct Reader {
  bool (*recognises)(std::string_view content);
  Table (*read)(const Source& source, const ReadOptions& options);
};

// By content; what none of them recognises is text.
constexpr auto readers = std::to_array<Reader>({{is_npy, read_npy}});

}  // namespace

}  // namespace data

Table parse_table(std::string_view content, const std::string& name, const ReadOptions& options) {
  if (content.empty()) data::fail(name, "the file is empty");
  const std::string other = data::known_otherwise(content);
  if (!other.empty()) data::fail(name, "this is " + other);
  for (const auto& reader : data::readers)
    if (reader.recognises(content)) return reader.read({content, name}, options);
  return data::read_text({content, name}, options);
}

Table read_table(const std::string& path, const ReadOptions& options) {
  return parse_table(data::load(path), path, options);
}

std::vector<std::string> read_labels(const std::string& path) {
  const std::string content = data::load(path);
  if (content.empty()) data::fail(path, "the file is empty");
  if (data::is_npy(content)) {
    ReadOptions options;
    options.labels = ReadOptions::Labels::none;
    const Table table = data::read_npy({content, path}, options);
    if (table.columns != 1)
      data::fail(path, "labels are one number per row; this array has " +
                           std::to_string(table.columns) + " columns");
    std::vector<std::string> labels;
    for (const double v : table.values) labels.push_back(shortest(v));
    return labels;
  }
  return data::read_label_lines({content, path});
}

namespace {

// Numbers in order of value, before texts in alphabetical order.
struct ClassOrder {
  static std::optional<double> number(const std::string& text) {
    double value = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [stop, status] = std::from_chars(begin, text.data() + text.size(), value);
    if (status != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
  }
  bool operator()(const std::string& a, const std::string& b) const {
    const auto u = number(a);
    const auto v = number(b);
    if (u && v && *u != *v) return *u < *v;
    if (u.has_value() != v.has_value()) return u.has_value();
    return a < b;
  }
};

std::string listed(const std::set<std::string, ClassOrder>& classes) {
  constexpr std::size_t most = 6;
  std::string text;
  std::size_t count = 0;
  for (const auto& c : classes) {
    if (count++ == most) return text + ", …";
    text += (text.empty() ? "" : ", ") + data::shown(c);
  }
  return text;
}

}  // namespace

Signs signs_of(const Table& table, const std::optional<std::string>& positive) {
  if (table.labels.size() != table.rows)
    throw Error("there are " + std::to_string(table.labels.size()) + " labels for " +
                std::to_string(table.rows) + " rows");
  const std::set<std::string, ClassOrder> classes(table.labels.begin(), table.labels.end());
  const std::string column =
      table.label_name.empty() ? "" : " in the column " + data::shown(table.label_name);
  if (classes.size() < 2)
    throw Error("there is one class only" + column + ", " + listed(classes) +
                "; two are needed. Is another column the label?");
  Signs result;
  if (positive) {
    if (!classes.contains(*positive))
      throw Error("no row has the label " + data::shown(*positive) + column + "; the classes are " +
                  listed(classes));
    result.positive = *positive;
  } else {
    if (classes.size() > 2)
      throw Error("there are " + std::to_string(classes.size()) + " classes" + column + ": " +
                  listed(classes) +
                  "; say which one is to be told from the rest (--positive), or which other column "
                  "is the label (--label)");
    result.positive = *classes.rbegin();
  }
  if (classes.size() == 2) {
    result.negative = *classes.begin() == result.positive ? *classes.rbegin() : *classes.begin();
  } else {
    result.negative = "not " + result.positive;
  }
  for (const auto& label : table.labels) result.y.push_back(label == result.positive ? 1 : -1);
  return result;
}

}  // namespace mercer
