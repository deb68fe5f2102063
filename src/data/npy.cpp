// NumPy's .npy: a magic word, a version, a header in the syntax of Python, then the numbers.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "data/place.hpp"
#include "data/reader.hpp"

namespace mercer::data {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  Header run() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!peek('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek('['))
          fail(file_, "the array has named fields; save one of plain numbers: a.astype(float)");
        header.descr = quoted();
        has_descr = true;
      } else if (key == "fortran_order") {
        header.fortran_order = truth();
        has_order = true;
      } else if (key == "shape") {
        header.shape = shape();
        has_shape = true;
      } else {
        broken();
      }
      if (!peek('}')) expect(',');
    }
    expect('}');
    blanks();
    if (!rest_.empty() || !has_descr || !has_order || !has_shape) broken();
    return header;
  }

 private:
  [[noreturn]] void broken() const { fail(file_, "the header of this .npy file is damaged"); }
  void blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool peek(char c) {
    blanks();
    return rest_.starts_with(c);
  }
  void expect(char c) {
    if (!peek(c)) broken();
    rest_.remove_prefix(1);
  }
  std::string quoted() {
    blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) broken();
    const auto end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) broken();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    broken();
  }
  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (!peek(')')) {
      std::uint64_t size = 0;
      std::size_t digits = 0;
      while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9')
        size = size * 10 + static_cast<std::uint64_t>(rest_[digits++] - '0');
      if (digits == 0 || digits > 18) broken();
      rest_.remove_prefix(digits);
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // written by Python 2
      sizes.push_back(size);
      if (!peek(')')) expect(',');
    }
    expect(')');
    return sizes;
  }

  std::string_view rest_;
  const std::string& file_;
};

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
  const auto result = static_cast<double>(value);
  constexpr double limit = 9007199254740992.0;
  return std::abs(result) > limit ? std::nan("") : result;
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

// The version and the length of the header stand in front of it.
std::string_view header_text(std::string_view content, const std::string& file) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(content[i]); };
  if (content.size() < 10) fail(file, "this .npy file ends within its header");
  const unsigned version = byte(6);
  if (version < 1 || version > 3)
    fail(file, "version " + std::to_string(version) + " of the .npy format is not known");
  const std::size_t width = version == 1 ? 2 : 4;
  const std::size_t begin = 8 + width;
  if (content.size() < begin) fail(file, "this .npy file ends within its header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) length |= std::size_t{byte(8 + i)} << (8 * i);
  if (length > content.size() - begin) fail(file, "this .npy file ends within its header");
  return content.substr(begin, length);
}

}  // namespace

bool is_npy(std::string_view content) { return content.starts_with(magic); }

Table read_npy(const Source& source, const ReadOptions& options) {
  const std::string& file = source.name;
  const std::string_view text = header_text(source.content, file);
  const Header header = HeaderParser(text, file).run();
  const Type& type = type_of(header.descr, file);
  if (header.shape.empty() || header.shape.size() > 2)
    fail(file, "an array of " + std::to_string(header.shape.size()) +
                   " dimensions; expected rows and columns");
  const std::uint64_t rows = header.shape[0];
  const std::uint64_t columns = header.shape.size() == 2 ? header.shape[1] : 1;
  if (rows == 0 || columns == 0) fail(file, "the array is empty");
  const std::string_view body =
      source.content.substr(static_cast<std::size_t>(text.end() - source.content.begin()));
  const std::uint64_t room = body.size() / type.size;
  if (columns > room || rows > room / columns || rows * columns * type.size != body.size())
    fail(file, "the header promises " + std::to_string(rows) + " by " + std::to_string(columns) +
                   " numbers, and " + std::to_string(body.size()) + " bytes follow");
  Matrix table;
  table.rows = rows;
  table.columns = columns;
  table.values.resize(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = header.fortran_order ? j * rows + i : i * columns + j;
      const double value = type.convert(body.data() + at * type.size);
      if (!std::isfinite(value))
        fail(file, "row " + std::to_string(i + 1) + ", column " + std::to_string(j + 1) + ": " +
                       (type.descr[1] == 'f' ? shortest(value) + " is not a finite number"
                                             : "a whole number beyond 2^53, which a double cannot "
                                               "hold exactly"));
      table(i, j) = value;
    }
  return take_label(std::move(table), file, options);
}

}  // namespace mercer::data
