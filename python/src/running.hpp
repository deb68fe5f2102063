// Long work for Python: with the GIL released, ended by Ctrl-C, and watched by a Python function.
//
// The work runs in a thread of its own. The thread that called waits for it, asks Python between
// times whether a signal came, and calls the user's function there: it runs in the thread where
// the user expects it to, whichever thread of the library has something to say.
//
//     Running running(callback);
//     options.observe = [&](const SvmProgress& p) { return running.tell([&] { return dict(p); });
//     }; Svm s = running.run([&] { return svm(K, y, options); });
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mercer/stop.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

namespace mercer::python {

namespace nb = nanobind;

// Seconds that the library has worked for Python, all calls together: what is measured around a
// call less these is what the way there and back costs.
class Inside {
 public:
  Inside() : begun_(std::chrono::steady_clock::now()) {}
  ~Inside() { all_ += (std::chrono::steady_clock::now() - begun_).count(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::duration(all_)).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_;
  static inline std::atomic<std::chrono::steady_clock::rep> all_ = 0;
};

class Running {
 public:
  // `callback`: called with a step; what returns False ends the work. None: nobody watches.
  explicit Running(nb::object callback) : callback_(std::move(callback)) {}

  // From the work: says how far it is, and returns whether to go on. `step` is called with the GIL.
  bool tell(const std::function<nb::object()>& step) {
    std::unique_lock lock(mutex_);
    if (stop_ || callback_.is_none()) return !stop_;
    step_ = &step;
    changed_.notify_all();
    changed_.wait(lock, [&] { return step_ == nullptr; });
    return !stop_;
  }

  // Called with the GIL. Throws what the work throws, what the callback raises, and
  // KeyboardInterrupt.
  template <class Work>
  auto run(const Work& work) {
    const auto timed = [&] {
      const Inside inside;
      return work();
    };
    std::optional<std::invoke_result_t<Work>> result;
    std::exception_ptr error;
    std::thread worker([&] {
      const Stop::Heeded heeded(&end_);
      try {
        result.emplace(timed());
      } catch (...) {
        error = std::current_exception();
      }
      const std::scoped_lock lock(mutex_);
      done_ = true;
      changed_.notify_all();
    });
    {
      const nb::gil_scoped_release released;
      wait();
      worker.join();
    }
    if (raised_) std::rethrow_exception(raised_);
    if (error) std::rethrow_exception(error);
    return std::move(*result);
  }

 private:
  void wait() {
    constexpr auto between_looks = std::chrono::milliseconds(50);
    std::unique_lock lock(mutex_);
    while (!done_) {
      changed_.wait_for(lock, between_looks, [&] { return done_ || step_ != nullptr; });
      if (done_) return;
      const auto* step = step_;
      lock.unlock();
      const bool go_on = ask(step);
      lock.lock();
      if (!go_on) stop_ = true;
      if (step != nullptr) {
        step_ = nullptr;
        changed_.notify_all();
      }
    }
  }

  // What Python says: its signals, and the callback if there is a step.
  bool ask(const std::function<nb::object()>* step) {
    const nb::gil_scoped_acquire held;
    if (raised_) return false;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return step == nullptr || !callback_((*step)()).is(nb::bool_(false));
    } catch (...) {
      raised_ = std::current_exception();
      end_.ask();  // nobody waits for a result any more
      return false;
    }
  }

  nb::object callback_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<nb::object()>* step_ = nullptr;  // waits for an answer
  bool done_ = false;
  bool stop_ = false;
  Stop end_;
  std::exception_ptr raised_;
};

}  // namespace mercer::python
