// The bytes of a file: mapped into memory where it is an ordinary file, unpacked where it is gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mercer::data {

struct Source {
  std::string_view content;
  std::string name;                   // for messages
  std::shared_ptr<const void> owner;  // keeps the content; without one, the caller does for now
  bool packed = false;                // it was gzip
  // Of a window on a longer file: what stands in front of it.
  std::size_t lines_before = 0;
  std::size_t rows_before = 0;
};

// Both throw Error where it cannot be read.
Source open_source(const std::string& path);
// Of bytes in memory, unpacked where they are gzip.
Source source_of(std::string_view content, const std::string& name);

// The bytes of a file one after the other, unpacked where it is gzip, in memory that does not
// depend on its size.
class ByteStream {
 public:
  explicit ByteStream(const std::string& path);  // throws Error
  ~ByteStream();
  ByteStream(ByteStream&&) noexcept;
  ByteStream& operator=(ByteStream&&) noexcept;

  // Up to `size` bytes, fewer at the end alone. Throws Error.
  std::size_t read(char* to, std::size_t size);
  // All of them together, where that is known beforehand.
  [[nodiscard]] std::optional<std::size_t> size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The text of a file or a window, behind the mark of UTF-8 that some programs write in front.
std::string_view text_of(const Source& source);
std::string_view without_mark(std::string_view content);

// "data.csv:3:14: …", by the offset in the content; a window begins with a line.
[[noreturn]] void fail_at(const Source& source, std::size_t offset, const std::string& message);
[[noreturn]] inline void fail_at(const Source& source, const char* place,
                                 const std::string& message) {
  fail_at(source, static_cast<std::size_t>(place - source.content.data()), message);
}

}  // namespace mercer::data
