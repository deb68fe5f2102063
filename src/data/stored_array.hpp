// Numbers in a file, more than fit into memory: appended to, read and changed in pieces, mapped by
// ranges.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mercer/error.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mercer::data {

[[noreturn]] inline void failed(const std::string& file, const std::string& what) {
  throw Error(file + ": " + what + ": " + std::strerror(errno));
}

// Part of a file in memory.
struct Mapped {
  std::shared_ptr<void> memory;
  std::size_t size = 0;
};

// It is taken from the file again where it is looked at again.
inline void forget(const std::vector<Mapped>& all) {
  for (const Mapped& m : all) ::madvise(m.memory.get(), m.size, MADV_DONTNEED);
}

// A file of numbers that is appended to, and later read and changed in pieces.
class StoredArray {
 public:
  StoredArray(std::string path, int flags)
      : path_(std::move(path)), file_(::open(path_.c_str(), flags | O_CLOEXEC, 0600)) {
    if (file_ < 0) failed(path_, "cannot be opened");
    end_ = static_cast<std::size_t>(::lseek(file_, 0, SEEK_END));
  }
  StoredArray(const StoredArray&) = delete;
  StoredArray& operator=(const StoredArray&) = delete;
  ~StoredArray() { ::close(file_); }

  template <class T>
  void append(std::span<const T> values) {
    write(values, end_);
    end_ += values.size_bytes();
  }
  template <class T>
  void write(std::span<const T> values, std::size_t at) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    for (std::size_t done = 0; done < values.size_bytes();) {
      const auto n =
          ::pwrite(file_, bytes + done, values.size_bytes() - done, static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) failed(path_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
  }
  template <class T>
  void read(std::span<T> values, std::size_t at) const {
    auto* bytes = reinterpret_cast<char*>(values.data());
    for (std::size_t done = 0; done < values.size_bytes();) {
      const auto n =
          ::pread(file_, bytes + done, values.size_bytes() - done, static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) failed(path_, "cannot be read");
      done += static_cast<std::size_t>(n);
    }
  }

  // change(values, number of the first) for so many from `from` on, some at a time.
  template <class T, class Change>
  void in_pieces(std::size_t count, const Change& change, bool write_back, std::size_t from = 0) {
    constexpr std::size_t step = std::size_t{1} << 17U;
    std::vector<T> values;
    for (std::size_t begin = 0; begin < count; begin += step) {
      values.resize(std::min(step, count - begin));
      read(std::span(values), (from + begin) * sizeof(T));
      change(std::span(values), begin);
      if (write_back) write(std::span<const T>(values), (from + begin) * sizeof(T));
    }
  }

  // Bytes of it in memory, for as long as the owner lives.
  [[nodiscard]] Mapped map(std::size_t begin, std::size_t size, const char*& at) const {
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t before = begin % page;
    void* memory = ::mmap(nullptr, size + before, PROT_READ, MAP_SHARED, file_,
                          static_cast<off_t>(begin - before));
    if (memory == MAP_FAILED) failed(path_, "cannot be mapped into memory");
    at = static_cast<const char*>(memory) + before;
    return {{memory, [size, before](void* p) { ::munmap(p, size + before); }}, size + before};
  }

 private:
  std::string path_;
  int file_;
  std::size_t end_ = 0;  // where more is appended
};

}  // namespace mercer::data
