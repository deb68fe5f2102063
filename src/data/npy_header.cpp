#include "data/npy_header.hpp"

#include "data/place.hpp"

namespace mercer::data {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  NpyHeader run() {
    NpyHeader header;
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

// The version and the length of the header stand in front of it.
std::string_view header_text(std::string_view content, const std::string& file) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(content[i]); };
  if (!is_npy(content)) fail(file, "this is not a .npy file");
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

NpyHeader npy_header(const Source& source) {
  const std::string_view text = header_text(source.content, source.name);
  NpyHeader header = HeaderParser(text, source.name).run();
  header.body = source.content.substr(
      static_cast<std::size_t>(text.data() + text.size() - source.content.data()));
  return header;
}

std::string npy_start(bool single, std::size_t rows, std::size_t columns) {
  return npy_start_as(single ? "<f4" : "<f8", rows, columns);
}

std::string npy_start_as(const std::string& descr, std::size_t rows, std::size_t columns) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  constexpr std::size_t before = 10;
  constexpr std::size_t block = 64;
  header += std::string((block - (before + header.size() + 1) % block) % block, ' ') + '\n';
  std::string text(std::string_view("\x93NUMPY\x01\x00", 8));
  text += static_cast<char>(header.size() & 0xffU);
  text += static_cast<char>(header.size() >> 8U);
  return text + header;
}

}  // namespace mercer::data
