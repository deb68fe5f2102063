// gzip (RFC 1952), by zlib.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mercer::data {

// Bytes that are not set to zero before they are written.
struct Bytes {
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data;
  std::size_t size = 0;

  [[nodiscard]] std::string_view view() const { return {data.get(), size}; }
};

bool is_gzip(std::string_view content);

// Throws Error where the data are damaged or end early.
Bytes gunzip(std::string_view content, const std::string& name);

// The same in pieces.
class Unpacker {
 public:
  using Read = std::function<std::size_t(char* to, std::size_t size)>;  // 0 at the end
  Unpacker(Read read, std::string name);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Up to `size` bytes; 0 at the end. Throws Error as gunzip does.
  std::size_t read(char* to, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Packs what is written to it, and passes it on.
class Packer {
 public:
  using Write = std::function<void(std::string_view)>;
  explicit Packer(Write write);
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void write(std::string_view bytes);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
  void run(std::string_view bytes, bool last);
};

}  // namespace mercer::data
