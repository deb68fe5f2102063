// What the benchmarks of support vectors share: data in files, the program, LIBSVM's svm-train.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <mercer/data.hpp>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unistd.h>

#include "command.hpp"
#include "timing.hpp"

namespace mercer::bench {

using Json = nlohmann::json;

// What svm-train says, and how long it took.
struct Theirs {
  bool ended = false;    // within its time
  bool gave_up = false;  // "reaching max number of iterations"
  double dual = 0;       // of all machines together
  double seconds = 0;
};

// NOLINTNEXTLINE(bugprone-exception-escape): of moving Json, which throws nothing
struct Ours {
  Json said;
  double seconds = 0;

  [[nodiscard]] double number(const char* name) const {
    const Json& v = said["training"][name];
    return v.is_number() ? v.get<double>() : std::numeric_limits<double>::infinity();
  }
};

class Workshop {
 public:
  Workshop()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("mercer_svm_bench_{}", getpid())) {
    std::filesystem::create_directories(folder_);
    peer_ = !run("command -v svm-train").empty();
    if (!peer_) fmt::print("svm-train is not there, skipped (libsvm-tools)\n");
  }
  ~Workshop() { std::filesystem::remove_all(folder_); }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  [[nodiscard]] bool peer() const { return peer_; }
  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }

  // A file of the data folder; nothing, aloud, where it is not there.
  [[nodiscard]] static std::optional<std::string> given(const std::string& name) {
    const char* folder = std::getenv("MERCER_DATA");
    const std::filesystem::path path =
        std::filesystem::path(folder != nullptr ? folder : MERCER_DEFAULT_DATA) / name;
    if (std::filesystem::exists(path)) return path.string();
    fmt::print("{}: not there, skipped (MERCER_DATA names the folder)\n", path.string());
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> unpacked(const std::string& name) const {
    const auto path = given(name + ".libsvm.gz");
    if (!path) return std::nullopt;
    if (!std::filesystem::exists(file(name)))
      run(fmt::format("gzip -dc {} > {}", *path, file(name)));
    return file(name);
  }

  // `options` as the program takes them, and the model in file("ours").
  [[nodiscard]] Ours ours(const std::string& data, const std::string& options) const {
    Ours o;
    o.seconds = seconds([&] {
      o.said =
          Json::parse(run(fmt::format("{} train {} --learner svm --scale none -o {} --force "
                                      "--json {}",
                                      MERCER_PROGRAM, data, file("ours"), options)));
    });
    return o;
  }

  // `options` as svm-train takes them, and the model in file("theirs"); 0: without a limit.
  [[nodiscard]] Theirs theirs(const std::string& data, const std::string& options,
                              double limit = 0) const {
    Theirs t;
    std::string said;
    t.seconds = seconds([&] {
      said = run(fmt::format("timeout {} svm-train -m 4000 {} {} {} 2>&1; echo end $?", limit,
                             options, data, file("theirs")));
    });
    t.ended = said.find("end 0") != std::string::npos;
    t.gave_up = said.find("reaching max number of iterations") != std::string::npos;
    for (std::size_t at = said.find("obj = "); at != std::string::npos;
         at = said.find("obj = ", at + 1))
      t.dual -= std::strtod(said.c_str() + at + 6, nullptr);
    return t;
  }

 private:
  std::filesystem::path folder_;
  bool peer_ = false;
};

// Σ_c Σ |α| - ½ αᵀKα of a model for classes, in doubles: svm-train keeps kernel values in floats,
// and with a large C the value that it prints is off by far more than its tolerance.
double dual_of(const Model& model);

// The parts of svm_bench that have files of their own.
void svm_grid(const Workshop& shop, bool full);
void svm_exact(const Workshop& shop, const std::string& only);
void svm_intelex(const Workshop& shop);

}  // namespace mercer::bench
