#include "data/sink.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "data/place.hpp"

namespace mercer::data {

namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_in_proc(int file) { return "/proc/self/fd/" + std::to_string(file); }

// A file without a name: whatever ends the program, it leaves nothing behind. -1 where the file
// system has no such thing.
int open_nameless(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0 || ::access(name_in_proc(file).c_str(), F_OK) == 0) return file;
  ::close(file);
  return -1;
}

}  // namespace

FileSink::FileSink(std::string path, bool pack) : path_(std::move(path)) {
  // A link stays one: what it leads to is replaced.
  std::error_code error;
  if (std::filesystem::is_symlink(path_, error)) {
    const auto target = std::filesystem::canonical(path_, error);
    if (!error) path_ = target.string();
  }
  file_ = open_nameless(folder_of(path_));
  if (file_ < 0) open_named();
  if (pack) packer_ = std::make_unique<Packer>([this](std::string_view b) { write_out(b); });
}

void FileSink::open_named() {
  temporary_ = path_ + ".XXXXXX";
  file_ = ::mkstemp(temporary_.data());
  if (file_ < 0) fail(path_, std::string("cannot be written: ") + std::strerror(errno));
  // mkstemp keeps the file to its owner; an ordinary one follows the umask.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file_, 0666U & ~mask) != 0) give_up(errno);
}

FileSink::~FileSink() { drop(); }

void FileSink::drop() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_.empty()) ::unlink(std::exchange(temporary_, "").c_str());
}

void FileSink::give_up(int reason) {
  drop();
  fail(path_, std::string("cannot be written: ") + std::strerror(reason));
}

// A name beside the path, for the moment until it takes the path's place.
void FileSink::give_name() {
  const std::string from = name_in_proc(file_);
  constexpr int tries = 100;
  for (int k = 0; k < tries; ++k) {
    const std::string name = path_ + "." + std::to_string(::getpid()) + "-" + std::to_string(k);
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  give_up(errno);
}

void FileSink::put(std::string_view bytes) {
  if (packer_) {
    packer_->write(bytes);
  } else {
    write_out(bytes);
  }
}

void FileSink::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) give_up(errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileSink::rewrite(std::size_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) give_up(errno);
    if (written <= 0) continue;
    offset += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileSink::commit() {
  flush();
  if (packer_) packer_->finish();
  // Some files know no fsync.
  if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) give_up(errno);
  // Who may read the file that is replaced may read the new one, and nobody else.
  struct stat old {};
  if (::stat(path_.c_str(), &old) == 0 && S_ISREG(old.st_mode) &&
      ::fchmod(file_, old.st_mode & 07777U) != 0)
    give_up(errno);
  if (temporary_.empty()) give_name();
  if (::close(std::exchange(file_, -1)) != 0) give_up(errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) give_up(errno);
  temporary_.clear();
}

std::string TextSink::take() {
  flush();
  return std::move(result_);
}

}  // namespace mercer::data
