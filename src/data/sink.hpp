// Where written bytes go: a file that is there as a whole or not at all, packed if asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/gzip.hpp"

namespace mercer::data {

// Bytes are collected here; `full` says when it is time to pass them on.
class Sink {
 public:
  virtual ~Sink() = default;
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  std::string text;  // append here, then flush_if_full()
  void flush_if_full() {
    constexpr std::size_t enough = std::size_t{1} << 18U;
    if (text.size() >= enough) flush();
  }
  void flush() {
    put(text);
    text.clear();
  }

 private:
  virtual void put(std::string_view bytes) = 0;
};

// Readers of `path` see the old content or, after commit(), all of the new. Throws Error, and
// leaves nothing behind then.
class FileSink : public Sink {
 public:
  FileSink(std::string path, bool pack);
  ~FileSink() override;
  // Bytes that were flushed already become others; not of a packed file.
  void rewrite(std::size_t offset, std::string_view bytes);
  void commit();

 private:
  void put(std::string_view bytes) override;
  void write_out(std::string_view bytes);
  void open_named();
  void give_name();
  void drop();
  [[noreturn]] void give_up(int reason);

  std::string path_;
  std::string temporary_;  // empty while the file has no name
  int file_ = -1;
  std::unique_ptr<Packer> packer_;
};

// Into a string.
class TextSink : public Sink {
 public:
  [[nodiscard]] std::string take();

 private:
  void put(std::string_view bytes) override { result_ += bytes; }
  std::string result_;
};

}  // namespace mercer::data
