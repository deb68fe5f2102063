// Watching a training: a trace, a line on the terminal, and Ctrl-C.
#pragma once

#include <fstream>
#include <mercer/train.hpp>
#include <string>

namespace mercer::cli {

// While there is one, Ctrl-C asks the training to stop after the step that is running. A second one
// ends the program at once.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  ~StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

 private:
  void (*before_)(int);
};

// One JSON line per step, and on a terminal a line that changes.
class Watcher {
 public:
  // `trace`: a file, or none. Throws Error.
  explicit Watcher(const std::string& trace);

  // Whether to go on.
  bool operator()(const TrainingStep& step);
  // Takes the line off the terminal.
  void done() const;

 private:
  std::string path_;
  bool terminal_;
  bool shown_ = false;
  std::ofstream file_;
};

}  // namespace mercer::cli
