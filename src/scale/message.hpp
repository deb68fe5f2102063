// Values one after the other in a string, for other ranks of the same program.
#pragma once

#include <cstddef>
#include <cstring>
#include <mercer/points.hpp>
#include <mercer/sketch.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mercer::scale {

class Message {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Message& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  template <class T>
  Message& put_all(const T* values, std::size_t count) {
    put(count);
    if (count > 0) bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
    return *this;
  }
  template <class T>
  Message& put(const std::vector<T>& values) {
    return put_all(values.data(), values.size());
  }
  Message& put(const std::string& text) { return put_all(text.data(), text.size()); }
  Message& put(const Points& points);
  Message& put(const Sketch& sketch);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value{};
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    std::vector<T> values(get<std::size_t>());
    if (!values.empty()) std::memcpy(values.data(), bytes_.data(), values.size() * sizeof(T));
    bytes_.remove_prefix(values.size() * sizeof(T));
    return values;
  }
  std::string text() {
    const auto letters = get_all<char>();
    return {letters.begin(), letters.end()};
  }
  Points points();
  Sketch sketch();
  [[nodiscard]] bool ended() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

// The rows of all of them, one after the other; all have the same columns, layout and numbers.
Points joined(const std::vector<Points>& parts);

}  // namespace mercer::scale
