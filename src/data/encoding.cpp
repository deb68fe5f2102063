#include <algorithm>
#include <mercer/encoding.hpp>
#include <mercer/error.hpp>
#include <mercer/examples.hpp>
#include <numeric>
#include <set>
#include <unordered_set>

#include "data/cell.hpp"
#include "data/columns.hpp"
#include "data/encode.hpp"
#include "data/holes.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"
#include "data/scale.hpp"

namespace mercer {

namespace {

void fit_number(Encoding::Column& column, const Frame::Column& from) {
  double total = 0;
  std::size_t count = 0;
  for (const double v : from.numbers)
    if (v == v) {
      total += v;
      ++count;
    }
  // A column without any value says nothing, and becomes 0.
  column.fill = count == 0 ? 0 : total / static_cast<double>(count);
}

void fit_categories(Encoding::Column& column, const Frame::Column& from) {
  column.levels = from.levels;
  std::vector<std::size_t> counts(from.levels.size());
  for (const auto code : from.codes)
    if (code >= 0) ++counts[static_cast<std::size_t>(code)];
  if (counts.empty()) return;
  column.fill_level = static_cast<std::int32_t>(std::ranges::max_element(counts) - counts.begin());
}

void refuse_same_names(const Frame& frame) {
  std::set<std::string> seen;
  for (const auto& column : frame.columns)
    if (!column.name.empty() && !seen.insert(column.name).second)
      data::fail(frame.file, "two columns are named " + data::shown(column.name) +
                                 "; give them different names, or ignore one (--ignore)");
}

// Mostly zeros, and many of them.
bool better_sparse(const Encoding& e) {
  constexpr std::size_t few = 64;
  return e.dimension > few && 4 * e.columns.size() < e.dimension;
}

}  // namespace

Encoding Encoding::fit(const Frame& frame, const EncodingOptions& options) {
  Encoding e;
  e.options = options;
  e.named = frame.named;
  e.label = frame.labels.name;
  e.label_place = frame.labels.place;
  refuse_same_names(frame);
  std::vector<std::size_t> all(frame.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (options.missing == Missing::error) data::refuse_holes(frame, all, false);
  const bool drop = options.missing == Missing::drop;
  const auto rows = drop ? data::whole_rows(frame, all) : std::vector<std::size_t>();
  if (drop && rows.empty()) data::no_row_left(frame.file, false);
  const Frame whole = drop ? data::selected(frame, rows) : Frame();
  for (const auto& from : drop ? whole.columns : frame.columns) {
    auto& column = e.columns.emplace_back();
    column.name = from.name;
    column.categorical = from.categorical;
    column.indicator = options.missing == Missing::indicator && from.missing > 0;
    if (from.categorical) {
      fit_categories(column, from);
    } else {
      fit_number(column, from);
    }
    e.dimension += (from.categorical ? column.levels.size() : 1) + (column.indicator ? 1 : 0);
  }
  if (e.dimension == 0) data::fail(frame.file, "no column holds a value");
  e.sparse = better_sparse(e);
  if (options.scaling == Scaling::none) return e;
  const Table table = e.apply(frame);
  std::vector<bool> numbers;
  for (const auto& column : e.columns) {
    numbers.insert(numbers.end(), column.categorical ? column.levels.size() : 1,
                   !column.categorical);
    if (column.indicator) numbers.push_back(false);
  }
  // Numbers are centred also where the points are stored sparse: the zeros are those of categories.
  data::fit_scales(e, table.points, numbers, true);
  return e;
}

Encoding Encoding::fit(const Table& table, const EncodingOptions& options) {
  Encoding e;
  e.options = options;
  e.sparse = table.points.is_sparse();
  e.label_place = table.labels.place;
  e.dimension = table.columns();
  if (e.sparse && options.scale_sparse == ScaleSparse::no) e.options.scaling = Scaling::none;
  if (e.options.scaling != Scaling::none) data::fit_scales(e, table.points, {}, !e.sparse);
  return e;
}

std::set<std::size_t> data::taken_columns(const ReadOptions& read) {
  std::set<std::size_t> taken;
  const auto take = [&](const std::string& column) {
    if (const auto number = data::number_in(column))
      taken.insert(static_cast<std::size_t>(*number));
  };
  if (read.labels == ReadOptions::Labels::column) take(read.label);
  take(read.weight);
  std::ranges::for_each(read.ignore, take);
  return taken;
}

ReadOptions Encoding::reading(ReadOptions read) const {
  read.scalar = options.scalar;
  if (columns.empty()) {
    read.numbers_only = true;
    return read;
  }
  if (named) {
    read.only.emplace();
    read.header = true;
    if (read.labels == ReadOptions::Labels::last_column) {
      read.labels = ReadOptions::Labels::column_if_there;
      read.label = label;
    }
  }
  // Without names, by number; those that are for something else are passed over.
  const auto taken = data::taken_columns(read);
  std::size_t number = 0;
  for (const auto& c : columns) {
    do ++number;
    while (taken.contains(number));
    const std::string column = named ? c.name : std::to_string(number);
    if (named) read.only->push_back(column);
    (c.categorical ? read.categories : read.numbers).push_back(column);
  }
  return read;
}

std::vector<std::string> Encoding::names() const {
  std::vector<std::string> result;
  if (!named) return result;
  std::unordered_set<std::string> taken;
  for (const auto& column : columns)
    if (!column.categorical) taken.insert(column.name);
  // What is made of a column may have the name of another.
  const auto made = [&](const std::string& name) {
    std::string other = name;
    for (std::size_t n = 2; !taken.insert(other).second; ++n)
      other = name + " (" + std::to_string(n) + ")";
    result.push_back(other);
  };
  for (const auto& column : columns) {
    if (!column.categorical) result.push_back(column.name);
    for (const auto& level : column.levels) made(column.name + "=" + level);
    if (column.indicator) made(column.name + " missing");
  }
  return result;
}

std::vector<std::string> Encoding::sources() const {
  std::vector<std::string> result;
  for (const auto& column : columns) {
    const std::size_t width =
        (column.categorical ? column.levels.size() : 1) + (column.indicator ? 1 : 0);
    if (named) result.insert(result.end(), width, column.name);
  }
  return result;
}

bool Encoding::operator==(const Encoding& other) const {
  return label == other.label && label_place == other.label_place &&
         options.missing == other.options.missing && options.scaling == other.options.scaling &&
         options.scalar == other.options.scalar && named == other.named && sparse == other.sparse &&
         open == other.open && columns == other.columns && dimension == other.dimension &&
         centers == other.centers && scales == other.scales;
}

EncodedTable read_training(const std::string& path, const ReadOptions& options,
                           const EncodingOptions& how) {
  const Examples all = Examples::read(path, options, how);
  EncodedTable result = all.fit();
  result.report.dropped = all.dropped();
  return result;
}

namespace {

// Whether text in columns has a line of names, for an encoding that knows columns by name. A first
// line that neither has these names nor looks like names at all is data, if it is as long as that.
bool has_names(const Encoding& encoding, const ReadOptions& options, const data::Source& source) {
  if (options.header) return *options.header;
  const auto first = data::first_line(source, options);
  const std::unordered_set<std::string_view> names(first.begin(), first.end());
  if (std::ranges::all_of(encoding.columns, [&](const Encoding::Column& column) {
        return names.contains(column.name);
      }))
    return true;
  const std::size_t taken = data::taken_columns(options).size();
  const std::size_t least = encoding.columns.size() + taken;
  const bool more = options.labels != ReadOptions::Labels::column;  // the label may be there
  if (first.size() != least && !(more && first.size() == least + 1)) return true;
  ReadOptions plain;
  plain.format = options.format;
  plain.labels = ReadOptions::Labels::none;
  return !data::layout_of(source, plain).names.empty();
}

// Of all columns of a file in which so many others are taken, the number of one by its place.
std::size_t column_at(std::size_t place, const std::set<std::size_t>& taken) {
  std::size_t number = 0;
  for (std::size_t k = 0; k < place; ++k) {
    do ++number;
    while (taken.contains(number));
  }
  return number;
}

}  // namespace

ReadOptions data::reading_for(const Encoding& encoding, const ReadOptions& options,
                              const Source& source, FileFormat format) {
  const bool text = format == FileFormat::csv;
  const bool array = format == FileFormat::npy;
  const bool nameless =
      encoding.named && (array || (text && !has_names(encoding, options, source)));
  ReadOptions read;
  if (nameless) {
    Encoding by_number = encoding;
    by_number.named = false;
    read = by_number.reading(options);
    if (text) read.header = false;
  } else {
    read = encoding.reading(options);
  }
  const bool by_place = array || (text && (!encoding.named || nameless));
  // Without names, a column more than there were is the label.
  if (by_place && options.labels == ReadOptions::Labels::last_column) {
    const std::size_t known =
        encoding.columns.empty() ? encoding.dimension : encoding.columns.size();
    const auto taken = taken_columns(read);
    const std::size_t width = text ? data::first_line(source, read).size() - taken.size()
                                   : data::npy_facts(source).columns;
    if (width == known) read.labels = ReadOptions::Labels::none;
    if (width == known + 1 && encoding.label_place != 0) {
      const auto first = std::to_string(column_at(encoding.label_place, taken));
      const auto last = std::to_string(column_at(width, taken));
      fail(source.name, "the columns have no names, and there is one more than those of the " +
                            std::string(known == 1 ? "point" : "points") + ", " +
                            std::to_string(known) +
                            ": the label, which was not the last in the training data. Say "
                            "--label " +
                            first + " if the file is like these, or --label " + last +
                            " if it is the last here");
    }
  }
  return read;
}

bool data::names_ignored(const Encoding& encoding, const ReadOptions& reading, FileFormat format) {
  return encoding.named &&
         (format == FileFormat::npy || (format == FileFormat::csv && reading.header == false));
}

Table read_encoded(const std::string& path, const Encoding& encoding, const ReadOptions& options,
                   EncodingReport* report) {
  const data::Source source = data::open_source(path);
  const FileFormat format = data::format_in(source, options);
  const ReadOptions read = data::reading_for(encoding, options, source, format);
  const auto told = [&](Table table) {
    if (report != nullptr) report->by_place = data::names_ignored(encoding, read, format);
    return table;
  };
  if (format == FileFormat::npy && encoding.options.missing != Missing::error &&
      data::npy_has_holes(source))
    return told(encoding.apply(data::npy_frame(source, read), report));
  if (format != FileFormat::csv)
    return told(encoding.apply(data::read_source(source, read), report));
  return told(encoding.apply(data::frame_of(data::read_cells(source, read), false), report));
}

}  // namespace mercer
