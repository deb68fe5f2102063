#include "data/sink.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "data/place.hpp"

namespace mercer::data {

FileSink::FileSink(std::string path, bool pack)
    : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
  file_ = ::mkstemp(temporary_.data());
  if (file_ < 0) fail(path_, std::string("cannot be written: ") + std::strerror(errno));
  // mkstemp keeps the file to its owner; an ordinary one follows the umask.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file_, 0666U & ~mask) != 0) give_up(errno);
  if (pack) packer_ = std::make_unique<Packer>([this](std::string_view b) { write_out(b); });
}

FileSink::~FileSink() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void FileSink::give_up(int reason) {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  ::unlink(temporary_.c_str());
  fail(path_, std::string("cannot be written: ") + std::strerror(reason));
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

void FileSink::commit() {
  flush();
  if (packer_) packer_->finish();
  // Some files know no fsync.
  if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) give_up(errno);
  if (::close(std::exchange(file_, -1)) != 0) give_up(errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) give_up(errno);
}

std::string TextSink::take() {
  flush();
  return std::move(result_);
}

}  // namespace mercer::data
