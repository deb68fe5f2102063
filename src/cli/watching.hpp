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

  static bool asked();

 private:
  void (*before_)(int);
};

// One JSON line per step, and on a terminal a line that changes.
class Watcher {
 public:
  // `trace`: a file, or none. It is begun with the first step, so that a training that never gets
  // there leaves an older trace alone; one that is there already is replaced at the end.
  explicit Watcher(std::string trace);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Whether to go on. Throws Error.
  bool operator()(const TrainingStep& step);
  // The trace is whole now; takes the line off the terminal. Throws Error.
  void done();

 private:
  void begin();

  std::string path_;
  std::string written_;  // where the lines go; another name while the path is taken
  bool terminal_;
  bool shown_ = false;
  std::ofstream file_;
};

}  // namespace mercer::cli
