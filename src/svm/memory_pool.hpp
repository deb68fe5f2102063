// Large memory that goes from one problem to the next: touching new memory for the first time takes
// as long as filling it.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "base/huge.hpp"

namespace mercer::support {

// From any thread.
class MemoryPool {
 public:
  // The smallest that is large enough, or a new one.
  HugeMemory take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it)
      if (it->size() >= bytes && (best == free_.end() || it->size() < best->size())) best = it;
    if (best == free_.end()) return HugeMemory(bytes);
    HugeMemory found = std::move(*best);
    free_.erase(best);
    return found;
  }
  void give_back(HugeMemory memory) {
    if (memory.size() == 0) return;
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<HugeMemory> free_;
};

// Of a pool, for as long as it lives.
class Lent {
 public:
  Lent() = default;
  Lent(MemoryPool& pool, std::size_t bytes) : pool_(&pool), memory_(pool.take(bytes)) {}
  Lent(Lent&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), memory_(std::move(other.memory_)) {}
  Lent& operator=(Lent&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (pool_ != nullptr) pool_->give_back(std::move(memory_));
  }

  [[nodiscard]] void* data() const { return memory_.data(); }

 private:
  MemoryPool* pool_ = nullptr;
  HugeMemory memory_;
};

}  // namespace mercer::support
