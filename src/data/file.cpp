#include "data/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "data/place.hpp"

namespace mercer::data {

std::string load(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(path, "this is a folder, not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, std::string("cannot be read: ") + std::strerror(errno));
  std::string content;
  constexpr std::size_t piece = std::size_t{1} << 20U;
  while (in) {
    const std::size_t old = content.size();
    content.resize(old + piece);
    in.read(content.data() + old, static_cast<std::streamsize>(piece));
    content.resize(old + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) fail(path, std::string("cannot be read: ") + std::strerror(errno));
  return content;
}

namespace {

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS;  // some files know no fsync
}

}  // namespace

void replace(const std::string& path, std::string_view content) {
  std::string temporary = path + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) fail(path, std::string("cannot be written: ") + std::strerror(errno));
  // mkstemp keeps the file to its owner; an ordinary one follows the umask.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool good = ::fchmod(file, 0666U & ~mask) == 0 && write_all(file, content);
  const int reason = errno;
  const bool closed = ::close(file) == 0;
  if (!good || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int why = good ? errno : reason;
    ::unlink(temporary.c_str());
    fail(path, std::string("cannot be written: ") + std::strerror(why));
  }
}

}  // namespace mercer::data
