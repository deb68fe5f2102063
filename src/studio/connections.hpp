// A thread for each connection, up to a number; more have to wait.
#pragma once

#include <condition_variable>
#include <functional>
#include <httplib.h>
#include <list>
#include <mutex>
#include <thread>

namespace mercer::studio {

class Connections : public httplib::TaskQueue {
 public:
  explicit Connections(std::size_t most) : most_(most) {}
  void enqueue(std::function<void()> connection) override;
  void shutdown() override;  // waits for all

 private:
  void join_those_gone(std::unique_lock<std::mutex>& lock);

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable gone_;
  std::list<std::thread> open_;
  std::list<std::thread> over_;  // what they keep for themselves may still be on its way back
};

}  // namespace mercer::studio
