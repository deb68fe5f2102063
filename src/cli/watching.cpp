#include "cli/watching.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
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
  constexpr std::string_view text = "\nmercer: stopping after this step; again to quit at once\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() : before_(std::signal(SIGINT, on_stop)) {}
bool StopOnInterrupt::asked() { return stop_asked; }
StopOnInterrupt::~StopOnInterrupt() { std::signal(SIGINT, before_); }

Watcher::Watcher(std::string trace)
    : path_(std::move(trace)), terminal_(isatty(STDERR_FILENO) != 0) {}

// What was not finished does not replace what was there.
Watcher::~Watcher() {
  file_.close();
  std::error_code error;
  if (!written_.empty() && written_ != path_) std::filesystem::remove(written_, error);
}

void Watcher::begin() {
  if (path_.empty() || file_.is_open()) return;
  std::error_code error;
  written_ =
      std::filesystem::exists(path_, error) ? path_ + "." + std::to_string(::getpid()) : path_;
  file_.open(written_, std::ios::trunc);
  if (!file_) throw Error(path_ + ": cannot be written: " + std::generic_category().message(errno));
}

bool Watcher::operator()(const TrainingStep& step) {
  begin();
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

void Watcher::done() {
  begin();
  if (file_.is_open()) {
    file_.close();
    std::error_code error;
    if (written_ != path_) std::filesystem::rename(written_, path_, error);
    if (!file_ || error) throw Error(path_ + ": cannot be written");
    written_ = path_;
  }
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

}  // namespace mercer::cli
