#include "studio/connections.hpp"

#include <iterator>

namespace mercer::studio {

void Connections::enqueue(std::function<void()> connection) {
  // One too many waits until another one is gone; those behind it wait in the system's queue.
  std::unique_lock lock(mutex_);
  gone_.wait(lock, [&] { return open_.size() < most_; });
  join_those_gone(lock);
  open_.emplace_back();
  const auto mine = std::prev(open_.end());
  try {
    *mine = std::thread([this, mine, run = std::move(connection)] {
      run();
      const std::lock_guard end(mutex_);
      over_.splice(over_.end(), open_, mine);
      gone_.notify_all();
    });
  } catch (...) {
    open_.erase(mine);
    throw;
  }
}

void Connections::shutdown() {
  std::unique_lock lock(mutex_);
  gone_.wait(lock, [&] { return open_.empty(); });
  join_those_gone(lock);
}

void Connections::join_those_gone(std::unique_lock<std::mutex>& lock) {
  std::list<std::thread> over;
  over.swap(over_);
  lock.unlock();
  for (auto& thread : over) thread.join();
  lock.lock();
}

}  // namespace mercer::studio
