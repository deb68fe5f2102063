// Ranks as threads of one process: a queue of messages for each pair of them.
#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "comm/comm.hpp"

namespace mercer::comm {

namespace {

class Queue {
 public:
  void put(std::span<const std::byte> bytes) {
    const std::scoped_lock lock(mutex_);
    messages_.emplace_back(bytes.begin(), bytes.end());
    there_.notify_one();
  }
  void take(std::span<std::byte> to) {
    std::unique_lock lock(mutex_);
    there_.wait(lock, [&] { return !messages_.empty(); });
    assert(messages_.front().size() == to.size());
    std::ranges::copy(messages_.front(), to.begin());
    messages_.pop_front();
  }

 private:
  std::mutex mutex_;
  std::condition_variable there_;
  std::deque<std::vector<std::byte>> messages_;
};

class ThreadComm final : public Comm {
 public:
  ThreadComm(std::vector<Queue>& queues, std::size_t rank, std::size_t ranks)
      : queues_(queues), rank_(rank), ranks_(ranks) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t ranks() const override { return ranks_; }
  void send(std::size_t to, std::span<const std::byte> bytes) const override {
    queues_[rank_ * ranks_ + to].put(bytes);
  }
  void receive(std::size_t from, std::span<std::byte> bytes) const override {
    queues_[from * ranks_ + rank_].take(bytes);
  }

 private:
  std::vector<Queue>& queues_;
  std::size_t rank_;
  std::size_t ranks_;
};

}  // namespace

void on_threads(std::size_t ranks, const std::function<void(const Comm&)>& work) {
  std::vector<Queue> queues(ranks * ranks);
  std::vector<std::exception_ptr> failures(ranks);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      try {
        const ThreadComm comm(queues, r, ranks);
        work(comm);
      } catch (...) {
        failures[r] = std::current_exception();
      }
    });
  for (auto& t : threads) t.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace mercer::comm
