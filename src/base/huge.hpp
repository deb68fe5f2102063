// Large memory that is used as a whole: zero at first, and asked for in large pages where the
// system has them, since otherwise touching each small page for the first time costs more than
// filling it.
#pragma once

#include <cstddef>
#include <memory>

namespace mercer {

// Aligned to a cache line at least. Throws std::bad_alloc.
class HugeMemory {
 public:
  HugeMemory() = default;
  explicit HugeMemory(std::size_t bytes);

  [[nodiscard]] void* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return data_ ? data_.get_deleter().bytes : 0; }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(void* p) const;
  };
  std::unique_ptr<void, Unmap> data_;
};

}  // namespace mercer
