// NumPy's .npy. Floats and doubles in the order of C stay where they are, in the mapped file.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/npy_header.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer::data {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

namespace {

template <class Number>
double converted(const char* bytes) {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

double truth_value(const char* bytes) { return *bytes == 0 ? 0 : 1; }

// Whole numbers beyond 2^53 would silently become others.
template <class Number>
double exactly_converted(const char* bytes) {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  constexpr std::int64_t limit = std::int64_t{1} << 53U;
  const bool beyond = std::cmp_greater(value, limit) || std::cmp_less(value, -limit);
  return beyond ? std::nan("") : static_cast<double>(value);
}

struct Type {
  std::string_view descr;
  std::size_t size;
  double (*convert)(const char*);
};

constexpr auto types = std::to_array<Type>({
    {"<f8", 8, converted<double>},
    {"<f4", 4, converted<float>},
    {"<i8", 8, exactly_converted<std::int64_t>},
    {"<u8", 8, exactly_converted<std::uint64_t>},
    {"<i4", 4, converted<std::int32_t>},
    {"<u4", 4, converted<std::uint32_t>},
    {"<i2", 2, converted<std::int16_t>},
    {"<u2", 2, converted<std::uint16_t>},
    {"|i1", 1, converted<std::int8_t>},
    {"|u1", 1, converted<std::uint8_t>},
    {"|b1", 1, truth_value},
});

const Type& type_of(const std::string& descr, const std::string& file) {
  for (const auto& type : types)
    if (type.descr == descr) return type;
  const std::string remedy = "; save it as a.astype('<f8')";
  if (descr.starts_with('>'))
    fail(file,
         "numbers of type " + shown(descr) + " have their bytes the other way round" + remedy);
  if (descr.find('O') != std::string::npos)
    fail(file, "the array holds Python objects, which are not read" + remedy);
  if (descr.find('U') != std::string::npos || descr.find('S') != std::string::npos)
    fail(file, "the array holds text, not numbers; save labels as text, one per line");
  fail(file, "numbers of type " + shown(descr) + " are not read" + remedy);
}

struct Shape {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// As the header says.
Shape promised(const NpyHeader& header, const std::string& file) {
  if (header.shape.empty() || header.shape.size() > 2)
    fail(file, "an array of " + std::to_string(header.shape.size()) +
                   " dimensions; expected rows and columns");
  const std::uint64_t rows = header.shape[0];
  const std::uint64_t columns = header.shape.size() == 2 ? header.shape[1] : 1;
  if (rows == 0 || columns == 0) fail(file, "the array is empty");
  return {rows, columns};
}

// … and as it is.
Shape shape_of(const NpyHeader& header, const Type& type, const std::string& file) {
  const Shape shape = promised(header, file);
  check_npy_size(shape.rows, shape.columns, type.size, header.body.size(), file);
  return shape;
}

[[noreturn]] void not_finite(const Source& source, std::size_t i, std::size_t j,
                             const std::string& what) {
  fail(source.name, "row " + std::to_string(source.rows_before + i + 1) + ", column " +
                        std::to_string(j + 1) + ": " + what);
}

// What is wrong with a number of a file, and what to do.
std::string why_not(double value) {
  if (std::isnan(value))
    return "nan is not a finite number; where it stands for a missing one, say what to do "
           "(--missing drop, mean or indicator)";
  if (std::isinf(value)) return shortest(value) + " is not a finite number";
  return shortest(value) + " is too large for 32 bits";
}

std::string not_a_label(double value) {
  return "the label " + shortest(value) +
         " is not a finite number; take the row out, or give it one";
}

template <class T>
void check_finite(const T* values, Shape shape, std::optional<std::size_t> label,
                  const ReadOptions& options, const Source& source) {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  const std::size_t size = shape.rows * shape.columns;
  parallel_for((size + piece - 1) / piece, options.threads, [&](std::size_t c) {
    for (std::size_t k = c * piece; k < std::min(size, (c + 1) * piece); ++k)
      if (!std::isfinite(values[k]))
        not_finite(source, k / shape.columns, k % shape.columns,
                   k % shape.columns == label ? not_a_label(static_cast<double>(values[k]))
                                              : why_not(static_cast<double>(values[k])));
  });
}

std::optional<std::size_t> label_column(Shape shape, const ReadOptions& options,
                                        const std::string& file) {
  using Which = ReadOptions::Labels;
  if (options.labels == Which::none || options.labels == Which::column_if_there)
    return std::nullopt;
  const std::size_t at = options.labels == Which::column
                             ? label_index(options.label, {}, shape.columns, file)
                             : shape.columns - 1;
  if (shape.columns < 2)
    fail(file, "one column only, which would be the label; expected features beside it");
  return at;
}

// As Labels::place.
std::size_t place_of(std::optional<std::size_t> label, std::size_t columns) {
  return label && *label + 1 < columns ? *label + 1 : 0;
}

// Where the features stand side by side, they are seen in place.
template <class T>
Table table_in_place(const T* values, Shape shape, std::optional<std::size_t> label,
                     const Points::Owner& owner) {
  Table table;
  if (label)
    for (std::size_t i = 0; i < shape.rows; ++i)
      table.labels.numbers.push_back(static_cast<double>(values[i * shape.columns + *label]) + 0.0);
  table.labels.place = place_of(label, shape.columns);
  const std::size_t d = shape.columns - (label ? 1 : 0);
  if (!label || *label == 0 || *label == d) {
    table.points =
        Points::dense(values + (label && *label == 0 ? 1 : 0), shape.rows, d, shape.columns, owner);
    return table;
  }
  std::vector<T> rest;
  rest.reserve(shape.rows * d);
  for (std::size_t i = 0; i < shape.rows; ++i)
    for (std::size_t j = 0; j < shape.columns; ++j)
      if (j != *label) rest.push_back(values[i * shape.columns + j]);
  table.points = Points::own(std::move(rest), shape.rows, d);
  return table;
}

template <class T>
Table read_as(const Source& source, const NpyHeader& header, Shape shape,
              const ReadOptions& options) {
  const auto label = label_column(shape, options, source.name);
  const char* bytes = header.body.data();
  const auto* values = reinterpret_cast<const T*>(bytes);
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % alignof(T) == 0;
  Points::Owner owner = source.owner;
  if (!owner || !aligned) {
    const auto copy = std::make_shared<std::vector<T>>(shape.rows * shape.columns);
    std::memcpy(copy->data(), bytes, header.body.size());
    values = copy->data();
    owner = copy;
  }
  check_finite(values, shape, label, options, source);
  return table_in_place(values, shape, label, owner);
}

template <class T>
Table read_converted(const Source& source, const NpyHeader& header, Shape shape, const Type& type,
                     const ReadOptions& options) {
  const auto values = std::make_shared<std::vector<T>>(shape.rows * shape.columns);
  const auto label = label_column(shape, options, source.name);
  for (std::size_t i = 0; i < shape.rows; ++i)
    for (std::size_t j = 0; j < shape.columns; ++j) {
      const std::size_t at = header.fortran_order ? j * shape.rows + i : i * shape.columns + j;
      const double value = type.convert(header.body.data() + at * type.size);
      if (!std::isfinite(static_cast<T>(value)))
        not_finite(source, i, j,
                   j == label && !std::isfinite(value) ? not_a_label(value)
                   : type.descr[1] == 'f'
                       ? why_not(value)
                       : "a whole number beyond 2^53, which a double cannot hold "
                         "exactly");
      (*values)[i * shape.columns + j] = static_cast<T>(value);
    }
  return table_in_place(values->data(), shape, label, values);
}

}  // namespace

void check_npy_size(std::size_t rows, std::size_t columns, std::size_t number, std::size_t bytes,
                    const std::string& file) {
  const std::size_t room = bytes / number;
  if (columns > room || rows > room / columns || rows * columns * number != bytes)
    fail(file, "the header promises " + std::to_string(rows) + " by " + std::to_string(columns) +
                   " numbers, and " + std::to_string(bytes) + " bytes follow");
}

std::size_t npy_label_place(const NpyFacts& facts, const ReadOptions& options,
                            const std::string& file) {
  return place_of(label_column({facts.rows, facts.columns}, options, file), facts.columns);
}

NpyFacts npy_facts(const Source& source) {
  const NpyHeader header = npy_header(source);
  const Shape shape = promised(header, source.name);
  return {shape.rows,
          shape.columns,
          header.descr,
          type_of(header.descr, source.name).size,
          !header.fortran_order,
          source.content.size() - header.body.size()};
}

bool npy_has_holes(const Source& source) {
  const NpyHeader header = npy_header(source);
  const Type& type = type_of(header.descr, source.name);
  if (type.descr[1] != 'f') return false;
  const Shape shape = shape_of(header, type, source.name);
  for (std::size_t k = 0; k < shape.rows * shape.columns; ++k)
    if (std::isnan(type.convert(header.body.data() + k * type.size))) return true;
  return false;
}

Frame npy_frame(const Source& source, const ReadOptions& options) {
  const NpyHeader header = npy_header(source);
  const Type& type = type_of(header.descr, source.name);
  const Shape shape = shape_of(header, type, source.name);
  const auto label = label_column(shape, options, source.name);
  Frame frame;
  frame.file = source.name;
  frame.rows = shape.rows;
  for (std::size_t j = 0; j < shape.columns; ++j) {
    auto& column = frame.columns.emplace_back();
    column.numbers.resize(shape.rows);
    for (std::size_t i = 0; i < shape.rows; ++i) {
      const std::size_t at = header.fortran_order ? j * shape.rows + i : i * shape.columns + j;
      const double value = type.convert(header.body.data() + at * type.size);
      if (j == label && !std::isfinite(value)) not_finite(source, i, j, not_a_label(value));
      if (std::isinf(value)) not_finite(source, i, j, shortest(value) + " is not a finite number");
      if (std::isnan(value)) ++column.missing;
      column.numbers[i] = value;
    }
    column.number_cells = shape.rows - column.missing;
  }
  if (label) {
    frame.labels.numbers = std::move(frame.columns[*label].numbers);
    frame.labels.place = place_of(label, shape.columns);
    frame.columns.erase(frame.columns.begin() + static_cast<std::ptrdiff_t>(*label));
  }
  return frame;
}

Table read_npy(const Source& source, const ReadOptions& options) {
  const NpyHeader header = npy_header(source);
  const Type& type = type_of(header.descr, source.name);
  const Shape shape = shape_of(header, type, source.name);
  const bool single = options.scalar == Points::Scalar::float32;
  if (!header.fortran_order) {
    if (type.descr == "<f4") return read_as<float>(source, header, shape, options);
    if (type.descr == "<f8" && !single) return read_as<double>(source, header, shape, options);
  }
  return single ? read_converted<float>(source, header, shape, type, options)
                : read_converted<double>(source, header, shape, type, options);
}

}  // namespace mercer::data
