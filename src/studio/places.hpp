// A few computations at a time; the others wait in the order in which they came.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>

namespace mercer::studio {

class Places {
 public:
  explicit Places(std::size_t count) : called_(count) {}

  // False where its turn did not come in time.
  bool take(std::chrono::milliseconds patience);
  void give_back();

 private:
  void call_next();

  std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t tickets_ = 0;         // given out
  std::size_t called_;              // tickets below this one have had their turn
  std::set<std::size_t> given_up_;  // of those that wait
};

// A place for as long as it lives.
class Place {
 public:
  explicit Place(Places& places) : places_(places), taken_(places.take(std::chrono::seconds(30))) {}
  ~Place() {
    if (taken_) places_.give_back();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  [[nodiscard]] bool taken() const { return taken_; }

 private:
  Places& places_;
  bool taken_;
};

}  // namespace mercer::studio
