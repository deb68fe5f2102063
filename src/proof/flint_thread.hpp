// FLINT and Arb keep constants, tables and numbers to be used again, for each thread its own, and
// give nothing back when it ends: a server that proves in a thread for each connection would grow.
#pragma once

#include <flint/flint.h>
#include <unistd.h>

namespace mercer::proof {

// To be called before FLINT is used: what it keeps for this thread goes when the thread ends. What
// it keeps for the first thread, statics may still use.
inline void flint_gives_back() {
  struct Kept {
    Kept() = default;
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() {
      if (gettid() != getpid()) flint_cleanup();
    }
  };
  const thread_local Kept kept;
  static_cast<void>(kept);
}

}  // namespace mercer::proof
