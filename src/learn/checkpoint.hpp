// What a training goes on from after it was ended from outside, by kill -9 say: records by key, in
// a file that is there as a whole or not at all. The file tells which training it belongs to, and
// is refused by any other.
#pragma once

#include <chrono>
#include <map>
#include <mercer/train.hpp>
#include <mutex>
#include <optional>
#include <string>

#include "model/checkpoint_file.hpp"

namespace mercer::learn {

class Checkpoint {
 public:
  using Fingerprint = std::map<std::string, std::string>;

  // Reads the file where there is one. Throws Error where it is none of ours, or of another
  // training.
  Checkpoint(const TrainOptions::Checkpoint& options, Fingerprint fingerprint);

  [[nodiscard]] bool resumed() const { return resumed_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::chrono::duration<double> every() const { return every_; }

  // From any thread.
  [[nodiscard]] std::optional<model::Record> find(const std::string& key) const;
  // Writes the file, too, where that was long enough ago. Throws Error where it cannot.
  void put(const std::string& key, model::Record record);
  void write();

 private:
  void refuse_others(const Fingerprint& fingerprint) const;
  void write_locked();

  std::string path_;
  std::chrono::duration<double> every_;
  bool resumed_ = false;
  mutable std::mutex mutex_;
  model::CheckpointFile file_;
  std::chrono::steady_clock::time_point written_ = std::chrono::steady_clock::now();
};

// Everything that decides which model comes out, in words; of what is long, a checksum. The number
// of threads is not among it, nor a limit of time: they decide when it comes.
Checkpoint::Fingerprint fingerprint_of(const Table& table, const Encoding& encoding,
                                       const TrainOptions& options);

}  // namespace mercer::learn
