// Work that somebody else may end: a person who pressed Ctrl-C, a server that is told to go.
//
//     Stop stop;
//     std::thread worker([&] {
//       const Stop::Heeded heeded(&stop);   // as long as this lives, in this thread
//       ridge(k, x, y);                      // throws Stopped soon after stop.ask()
//     });
//     …
//     stop.ask();
//
// What a thread computes while it heeds a Stop, and what other threads compute for it, looks at it
// between pieces of work: tiles of kernel values, blocks of a factor, goals of a proof. Nothing is
// left of what was to be computed. Whoever wants to keep what there is so far has the observers of
// the learners instead.
#pragma once

#include <atomic>
#include <exception>

namespace mercer {

class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

class Stop {
 public:
  // By any thread, or a handler of signals.
  void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool asked() const noexcept { return asked_.load(std::memory_order_relaxed); }

  // The one that this thread heeds; null: none.
  static const Stop* current() noexcept;
  // Throws Stopped where it was asked for.
  static void check();

  // Inside of another one, the inner one counts.
  class Heeded {
   public:
    explicit Heeded(const Stop* stop) noexcept;
    ~Heeded();
    Heeded(const Heeded&) = delete;
    Heeded& operator=(const Heeded&) = delete;

   private:
    const Stop* before_;
  };

 private:
  std::atomic<bool> asked_ = false;
};

}  // namespace mercer
