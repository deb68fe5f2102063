// A thread for each connection, up to a number; more have to wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <httplib.h>
#include <mutex>

namespace mercer::studio {

class Connections : public httplib::TaskQueue {
 public:
  explicit Connections(std::size_t most) : most_(most) {}
  void enqueue(std::function<void()> connection) override;
  void shutdown() override;  // waits for all

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable gone_;
  std::size_t open_ = 0;
};

}  // namespace mercer::studio
