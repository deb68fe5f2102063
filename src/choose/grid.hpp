// Scores of candidates by cross-validation, with the work shared: kernels that differ in parameters
// share their sums over coordinates, all folds and prices share the kernel values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mercer/cross_validation.hpp>
#include <mercer/kernel.hpp>
#include <mercer/train.hpp>
#include <optional>
#include <tuple>
#include <vector>

#include "base/huge.hpp"
#include "choose/answers.hpp"
#include "comm/comm.hpp"
#include "learn/task.hpp"

namespace mercer::choose {

// A kernel, and the prices it is to be tried with: C of support vectors, λ of ridge.
struct Wanted {
  Kernel kernel;
  std::vector<double> prices;  // ascending
};

struct Score {
  std::vector<double> by_fold;
  double mean = 0;       // larger is better: errors are negative
  double deviation = 0;  // of the folds
  std::size_t support = 0;
  bool converged = true;
};

struct GridOptions {
  TrainOptions train = {};  // learner svm or ridge; its kernel and price are not used
  Metric metric = {};
  std::size_t folds = 5;
  std::vector<std::int64_t> groups = {};
  std::size_t memory = std::size_t{1} << 30U;
  bool give_up = false;  // machines that take long are not solved to the end
  // Between kernels; false ends it. Of several ranks all ask together, and hear the same.
  std::function<bool()> go_on = {};
};

class Grid {
 public:
  // Throws Error.
  Grid(const Table& table, const GridOptions& options, const comm::Comm& comm = comm::alone());

  // As many rows as kernel values fit into the memory for.
  [[nodiscard]] std::size_t most_rows() const;

  // Of every price of every kernel, on a sample of so many rows, the same for all. `take` gets each
  // as soon as it is there; fewer, where `go_on` ended it. Throws Error.
  //
  // Of several ranks, all of which call it with the same and have the same table, each computes a
  // part, and `take` gets all of them at every rank, in the same order; where one fails, the first
  // throws Error and others comm::Over.
  using Take = std::function<void(std::size_t wanted, std::size_t price, const Score& score)>;
  void scores(const std::vector<Wanted>& wanted, std::size_t rows, const Take& take);

  [[nodiscard]] double kernel_values() const { return kernel_values_; }
  [[nodiscard]] Model::Task task() const { return targets_.task; }
  [[nodiscard]] const std::vector<std::string>& classes() const { return targets_.classes; }

 private:
  const Sample& sample_of(std::size_t rows);
  // Kernels whose values are computed at once: the same ones for any number of ranks.
  void score_some(const Sample& sample, const std::vector<Wanted>& wanted, std::size_t first,
                  std::size_t count, const std::function<bool()>& go_on, const Take& take);
  template <class T>
  void score_batch(const Sample& sample, const Gram& K, const std::vector<Wanted>& wanted,
                   std::size_t first, std::size_t count, const std::function<bool()>& go_on,
                   const Take& take);
  template <class T>
  MachineMemory<T>& pool() {
    return std::get<MachineMemory<T>>(pools_);
  }
  [[nodiscard]] Score measured(const Sample& sample, const Answers& answers) const;

  const Table& table_;
  GridOptions options_;
  const comm::Comm& comm_;
  learn::Targets targets_;
  std::vector<std::int32_t> codes_;  // classes of the rows
  std::vector<std::unique_ptr<Sample>> samples_;
  HugeMemory memory_;  // for kernel values
  std::tuple<MachineMemory<float>, MachineMemory<double>> pools_;
  double kernel_values_ = 0;
};

}  // namespace mercer::choose
