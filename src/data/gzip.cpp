#include "data/gzip.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <vector>
#include <zlib.h>

#include "data/place.hpp"

namespace mercer::data {

namespace {

constexpr int gzip_window = 15 + 16;  // zlib's way to say: the largest window, with gzip's header

void grow(Bytes& bytes, std::size_t capacity) {
  void* larger = std::realloc(bytes.data.get(), std::max<std::size_t>(capacity, 1));
  if (larger == nullptr) throw std::bad_alloc();
  static_cast<void>(bytes.data.release());
  bytes.data.reset(static_cast<char*>(larger));
}

uInt limited(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max() / 2));
}

class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& operator*() { return stream_; }
  z_stream* operator->() { return &stream_; }

 private:
  z_stream stream_{};
};

[[noreturn]] void damaged(const std::string& name, const char* why) {
  fail(name,
       "the gzip data are damaged" + (why == nullptr ? std::string() : std::string(": ") + why));
}
[[noreturn]] void ends_early(const std::string& name) {
  fail(name, "the gzip data end early, as after an interrupted download; get the file once more");
}
[[noreturn]] void something_else(const std::string& name) {
  fail(name, "there is something else after the gzip data; unpack the file by hand");
}

}  // namespace

bool is_gzip(std::string_view content) { return content.starts_with("\x1f\x8b"); }

Bytes gunzip(std::string_view content, const std::string& name) {
  Inflater stream;
  Bytes result;
  // Text packs to a third or so; the size at the end of the file may lie.
  std::size_t capacity = content.size() * 4 + 1024;
  grow(result, capacity);
  std::string_view rest = content;
  bool within = true;  // a member is begun and not ended
  while (within || is_gzip(rest)) {
    if (!within) {
      inflateReset2(&*stream, gzip_window);
      within = true;
    }
    if (result.size == capacity) {
      capacity *= 2;
      grow(result, capacity);
    }
    const uInt in = limited(rest.size());
    const uInt out = limited(capacity - result.size);
    stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream->avail_in = in;
    stream->next_out = reinterpret_cast<Bytef*>(result.data.get() + result.size);
    stream->avail_out = out;
    const int status = inflate(&*stream, Z_NO_FLUSH);
    rest.remove_prefix(in - stream->avail_in);
    result.size += out - stream->avail_out;
    if (status == Z_STREAM_END) {
      within = false;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      damaged(name, stream->msg);
    } else if (rest.empty() && stream->avail_out > 0) {
      ends_early(name);
    }
  }
  if (rest.find_first_not_of('\0') != std::string_view::npos) something_else(name);
  return result;
}

struct Unpacker::State {
  Read read;
  std::string name;
  Inflater stream;
  std::vector<char> buffer = std::vector<char>(std::size_t{1} << 18U);
  std::string_view rest;  // of the buffer
  bool input_ended = false;
  bool within = true;  // a member is begun and not ended
  bool ended = false;

  void refill() {
    std::ranges::copy(rest, buffer.begin());
    const std::size_t count = read(buffer.data() + rest.size(), buffer.size() - rest.size());
    rest = {buffer.data(), rest.size() + count};
    input_ended = count == 0;
  }

  // Between members: whether another one follows.
  bool another() {
    while (rest.size() < 2 && !input_ended) refill();
    if (is_gzip(rest)) return true;
    while (true) {
      if (rest.find_first_not_of('\0') != std::string_view::npos) something_else(name);
      rest = {};
      if (input_ended) return false;
      refill();
    }
  }
};

Unpacker::Unpacker(Read read, std::string name) : state_(std::make_unique<State>()) {
  state_->read = std::move(read);
  state_->name = std::move(name);
}

Unpacker::~Unpacker() = default;

std::size_t Unpacker::read(char* to, std::size_t size) {
  State& s = *state_;
  std::size_t done = 0;
  while (done < size && !s.ended) {
    if (!s.within) {
      if (!s.another()) {
        s.ended = true;
        break;
      }
      inflateReset2(&*s.stream, gzip_window);
      s.within = true;
    }
    if (s.rest.empty() && !s.input_ended) s.refill();
    const uInt in = limited(s.rest.size());
    const uInt out = limited(size - done);
    s.stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(s.rest.data()));
    s.stream->avail_in = in;
    s.stream->next_out = reinterpret_cast<Bytef*>(to + done);
    s.stream->avail_out = out;
    const int status = inflate(&*s.stream, Z_NO_FLUSH);
    s.rest.remove_prefix(in - s.stream->avail_in);
    done += out - s.stream->avail_out;
    if (status == Z_STREAM_END) {
      s.within = false;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      damaged(s.name, s.stream->msg);
    } else if (s.rest.empty() && s.input_ended && s.stream->avail_out > 0) {
      ends_early(s.name);
    }
  }
  return done;
}

struct Packer::State {
  z_stream stream{};
  Write write;
  std::array<char, std::size_t{1} << 16U> out{};
};

Packer::Packer(Write write) : state_(std::make_unique<State>()) {
  state_->write = std::move(write);
  constexpr int usual_memory = 8;
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

Packer::~Packer() { deflateEnd(&state_->stream); }

void Packer::run(std::string_view bytes, bool last) {
  auto& stream = state_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(state_->out.data());
    stream.avail_out = static_cast<uInt>(state_->out.size());
    deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    state_->write({state_->out.data(), state_->out.size() - stream.avail_out});
  } while (stream.avail_out == 0);
}

void Packer::write(std::string_view bytes) {
  constexpr std::size_t piece = std::size_t{1} << 24U;
  while (!bytes.empty()) {
    run(bytes.substr(0, piece), false);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
}

void Packer::finish() { run({}, true); }

}  // namespace mercer::data
