#include "data/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "data/gzip.hpp"
#include "data/place.hpp"

namespace mercer::data {

namespace {

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) ::close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return file_; }

 private:
  int file_;
};

[[noreturn]] void cannot_read(const std::string& path) {
  const std::string why = std::strerror(errno);
  fail(path, "cannot be read: " + why + (path == "-" ? "; standard input is /dev/stdin" : ""));
}

// Pipes and devices have no size to map.
Source read_whole(int file, const std::string& path) {
  const auto bytes = std::make_shared<std::string>();
  constexpr std::size_t piece = std::size_t{1} << 20U;
  while (true) {
    const std::size_t old = bytes->size();
    bytes->resize(old + piece);
    const ssize_t count = ::read(file, bytes->data() + old, piece);
    if (count < 0 && errno != EINTR) cannot_read(path);
    bytes->resize(old + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
  }
  return {*bytes, path, bytes, false, 0, 0};
}

Source mapped(int file, std::size_t size, const std::string& path) {
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return read_whole(file, path);
  ::madvise(memory, size, MADV_WILLNEED);
  std::shared_ptr<const void> owner(memory, [size](void* m) { ::munmap(m, size); });
  return {{static_cast<const char*>(memory), size}, path, std::move(owner), false, 0, 0};
}

int opened(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

struct stat status_of(const Descriptor& file, const std::string& path) {
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) cannot_read(path);
  if (S_ISDIR(status.st_mode)) fail(path, "this is a folder, not a file");
  return status;
}

Source raw(const std::string& path) {
  const Descriptor file(opened(path));
  const struct stat status = status_of(file, path);
  const auto size = static_cast<std::size_t>(status.st_size);
  return S_ISREG(status.st_mode) && size > 0 ? mapped(file.get(), size, path)
                                             : read_whole(file.get(), path);
}

Source unpacked(Source source) {
  if (!is_gzip(source.content)) return source;
  const auto bytes = std::make_shared<const Bytes>(gunzip(source.content, source.name));
  return {bytes->view(), source.name, bytes, true, 0, 0};
}

}  // namespace

Source open_source(const std::string& path) { return unpacked(raw(path)); }

Source source_of(std::string_view content, const std::string& name) {
  return unpacked({content, name, {}, false, 0, 0});
}

struct ByteStream::State {
  explicit State(const std::string& path) : name(path), file(opened(path)) {
    const struct stat status = status_of(file, path);
    if (S_ISREG(status.st_mode)) size = static_cast<std::size_t>(status.st_size);
    start.resize(2);
    start.resize(raw(start.data(), start.size()));
    if (!is_gzip(start)) return;
    size.reset();
    unpacker.emplace([this](char* to, std::size_t count) { return from_start(to, count); }, name);
  }

  // What there is, up to `count`: less than that at the end alone.
  std::size_t raw(char* to, std::size_t count) const {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t some = ::read(file.get(), to + done, count - done);
      if (some < 0 && errno != EINTR) cannot_read(name);
      if (some == 0) break;
      if (some > 0) done += static_cast<std::size_t>(some);
    }
    return done;
  }
  // The first bytes, which were looked at, come again.
  std::size_t from_start(char* to, std::size_t count) {
    const std::size_t again = std::min(count, start.size());
    std::copy_n(start.data(), again, to);
    start.erase(0, again);
    return again + raw(to + again, count - again);
  }

  std::string name;
  Descriptor file;
  std::optional<std::size_t> size;
  std::string start;
  std::optional<Unpacker> unpacker;
};

ByteStream::ByteStream(const std::string& path) : state_(std::make_unique<State>(path)) {}
ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream&&) noexcept = default;
ByteStream& ByteStream::operator=(ByteStream&&) noexcept = default;

std::size_t ByteStream::read(char* to, std::size_t size) {
  return state_->unpacker ? state_->unpacker->read(to, size) : state_->from_start(to, size);
}

std::optional<std::size_t> ByteStream::size() const { return state_->size; }

std::string_view without_mark(std::string_view content) {
  return content.substr(content.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

std::string_view text_of(const Source& source) {
  return source.lines_before == 0 ? without_mark(source.content) : source.content;
}

void fail_at(const Source& source, std::size_t offset, const std::string& message) {
  const std::string_view before = source.content.substr(0, offset);
  const auto line =
      1 + source.lines_before + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const auto start = before.rfind('\n') + 1;  // 0 without one
  std::string_view text = before.substr(start);
  if (line == 1) text = without_mark(text);
  throw Error(source.name + ":" + std::to_string(line) + ":" +
              std::to_string(characters(text) + 1) + ": " + message);
}

}  // namespace mercer::data
