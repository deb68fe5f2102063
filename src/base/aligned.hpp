// Memory for vectors: aligned to a cache line, not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace mercer {

inline constexpr std::size_t cache_line = 64;

// Says that all of this memory will be used: where the system has pages of megabytes, it may give
// some, and fewer addresses are looked up. (A page is taken whole: not for what is touched in
// part.)
void prefer_large_pages(void* memory, std::size_t bytes);

template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t size)
      : size_(size),
        data_(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t(cache_line)))) {}

  // All of it will be used.
  [[nodiscard]] static Aligned whole(std::size_t size) {
    Aligned memory(size);
    prefer_large_pages(memory.data(), size * sizeof(T));
    return memory;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(cache_line)); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<T, Free> data_;
};

}  // namespace mercer
