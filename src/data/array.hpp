// Memory for many numbers, not set to zero beforehand, in large pages where the system has them:
// what a reader fills, it fills once, and most of the cost of fresh memory is the page faults.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace mercer::data {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) {
    constexpr std::size_t page = std::size_t{1} << 21U;
    const std::size_t bytes = size * sizeof(T);
    void* memory = bytes < page ? std::malloc(bytes + 1)
                                : std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (memory == nullptr) throw std::bad_alloc();
    if (bytes >= page) ::madvise(memory, bytes, MADV_HUGEPAGE);
    data_.reset(static_cast<T*>(memory));
  }
  [[nodiscard]] T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace mercer::data
