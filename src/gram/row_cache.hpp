// The rows of a matrix that were used last, within a limit of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace mercer::gram {

template <class T>
class RowCache {
 public:
  RowCache(std::size_t columns, std::size_t bytes)
      : columns_(columns), most_(bytes / std::max<std::size_t>(1, columns * sizeof(T))) {}

  // Copies row i, if it is kept, to `to`.
  bool get(std::size_t i, T* to) {
    const std::scoped_lock lock(mutex_);
    const auto found = rows_.find(i);
    if (found == rows_.end()) return false;
    order_.splice(order_.begin(), order_, found->second.place);
    std::copy_n(found->second.values.data(), columns_, to);
    return true;
  }

  void put(std::size_t i, const T* from) {
    if (most_ == 0) return;
    const std::scoped_lock lock(mutex_);
    if (rows_.contains(i)) return;
    std::vector<T> memory;
    if (rows_.size() == most_) {  // the memory of the row that was not used for longest
      const auto last = rows_.find(order_.back());
      memory = std::move(last->second.values);
      rows_.erase(last);
      order_.pop_back();
    }
    memory.assign(from, from + columns_);
    order_.push_front(i);
    rows_.emplace(i, Row{std::move(memory), order_.begin()});
  }

  [[nodiscard]] std::size_t capacity() const { return most_; }

 private:
  struct Row {
    std::vector<T> values;
    std::list<std::size_t>::iterator place;
  };
  std::size_t columns_;
  std::size_t most_;
  std::mutex mutex_;
  std::list<std::size_t> order_;  // most recent first
  std::unordered_map<std::size_t, Row> rows_;
};

}  // namespace mercer::gram
