#include <mercer/stop.hpp>

namespace mercer {

namespace {

thread_local const Stop* heeded = nullptr;

}  // namespace

const Stop* Stop::current() noexcept { return heeded; }

void Stop::check() {
  if (heeded != nullptr && heeded->asked()) throw Stopped();
}

Stop::Heeded::Heeded(const Stop* stop) noexcept : before_(heeded) { heeded = stop; }

Stop::Heeded::~Heeded() { heeded = before_; }

}  // namespace mercer
