#include "cli/watching.hpp"

#include <atomic>
#include <csignal>
#include <fmt/core.h>
#include <iostream>
#include <mercer/error.hpp>
#include <system_error>
#include <unistd.h>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"

namespace mercer::cli {

namespace {

std::atomic<bool> stop_asked = false;

extern "C" void on_stop(int) {
  if (stop_asked.exchange(true)) _exit(interrupted);
  constexpr std::string_view text =
      "\nmercer train: stopping after this step; again to quit without a model\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() : before_(std::signal(SIGINT, on_stop)) {}
StopOnInterrupt::~StopOnInterrupt() { std::signal(SIGINT, before_); }

Watcher::Watcher(const std::string& trace) : path_(trace), terminal_(isatty(STDERR_FILENO) != 0) {
  if (trace.empty()) return;
  file_.open(trace, std::ios::trunc);
  if (!file_) throw Error(trace + ": cannot be written: " + std::generic_category().message(errno));
}

bool Watcher::operator()(const TrainingStep& step) {
  if (file_.is_open()) {
    Json line{{step.unit, step.number}};
    for (const auto& [name, value] : step.values) line[name] = value;
    file_ << line.dump() << '\n' << std::flush;
    if (!file_) throw Error(path_ + ": cannot be written");
  }
  if (terminal_) {
    std::string text = fmt::format("{} {}", step.unit, step.number);
    for (const auto& [name, value] : step.values) text += fmt::format("  {} {:.6g}", name, value);
    std::cerr << '\r' << text << "\x1b[K" << std::flush;
    shown_ = true;
  }
  return !stop_asked;
}

void Watcher::done() const {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace mercer::cli
