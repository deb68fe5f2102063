#include "studio/connections.hpp"

#include <thread>

namespace mercer::studio {

void Connections::enqueue(std::function<void()> connection) {
  {
    // One too many waits until another one is gone; those behind it wait in the system's queue.
    std::unique_lock lock(mutex_);
    gone_.wait(lock, [&] { return open_ < most_; });
    ++open_;
  }
  std::thread([this, run = std::move(connection)] {
    run();
    const std::lock_guard lock(mutex_);
    --open_;
    gone_.notify_all();
  }).detach();
}

void Connections::shutdown() {
  std::unique_lock lock(mutex_);
  gone_.wait(lock, [&] { return open_ == 0; });
}

}  // namespace mercer::studio
