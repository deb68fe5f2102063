#include "studio/places.hpp"

namespace mercer::studio {

bool Places::take(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const std::size_t mine = tickets_++;
  if (turn_.wait_for(lock, patience, [&] { return mine < called_; })) return true;
  given_up_.insert(mine);
  return false;
}

void Places::give_back() {
  const std::lock_guard lock(mutex_);
  call_next();
  turn_.notify_all();
}

void Places::call_next() {
  while (given_up_.erase(called_) > 0) ++called_;
  ++called_;
}

}  // namespace mercer::studio
