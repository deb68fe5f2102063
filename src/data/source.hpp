// The bytes of a file: mapped into memory where it is an ordinary file, unpacked where it is gzip.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace mercer::data {

struct Source {
  std::string_view content;
  std::string name;                   // for messages
  std::shared_ptr<const void> owner;  // keeps the content; without one, the caller does for now
  bool packed = false;                // it was gzip
};

// Both throw Error where it cannot be read.
Source open_source(const std::string& path);
// Of bytes in memory, unpacked where they are gzip.
Source source_of(std::string_view content, const std::string& name);

// "data.csv:3:14: …", by the offset in the content.
[[noreturn]] void fail_at(const Source& source, std::size_t offset, const std::string& message);
[[noreturn]] inline void fail_at(const Source& source, const char* place,
                                 const std::string& message) {
  fail_at(source, static_cast<std::size_t>(place - source.content.data()), message);
}

}  // namespace mercer::data
