// What rules say of rows that they were not trained on: each row is answered by the rule that its
// fold had no part in.
#pragma once

#include <cstdint>
#include <memory>
#include <mercer/matrix.hpp>
#include <mutex>
#include <vector>

#include "choose/sample.hpp"
#include "learn/task.hpp"
#include "svm/held_out.hpp"

namespace mercer::choose {

// Of one price, on all rows of the sample.
struct Answers {
  std::vector<std::int32_t> classes;
  Matrix merits;                // what classes are ranked by
  Matrix probabilities;         // where they were asked for
  std::vector<double> numbers;  // of regression
  std::size_t support = 0;      // the mean over the folds
  bool converged = true;
  bool solved = true;  // else there are none
};

struct AnswerOptions {
  TrainOptions train = {};
  std::vector<double> prices = {};  // ascending
  bool give_up = false;
  // Each fold by sigmoids that were fitted to the scores of the other folds.
  bool probabilities = false;
};

// Memory that is used again and again: that of one machine for each thread.
template <class T>
class MachineMemory {
 public:
  using Piece = std::unique_ptr<support::HeldOutMemory<T>>;
  Piece take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::make_unique<support::HeldOutMemory<T>>();
    Piece piece = std::move(idle_.back());
    idle_.pop_back();
    return piece;
  }
  void give_back(Piece piece) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(piece));
  }

 private:
  std::mutex mutex_;
  std::vector<Piece> idle_;
};

// Of each price. `values` is K among the rows, which begin `stride` numbers apart.
template <class T>
std::vector<Answers> machine_answers(const Sample& sample, const learn::Targets& targets,
                                     const AnswerOptions& options, const T* values,
                                     std::size_t stride, MachineMemory<T>& memory);
std::vector<Answers> ridge_answers(const Sample& sample, const learn::Targets& targets,
                                   const AnswerOptions& options, const double* values,
                                   std::size_t stride);

}  // namespace mercer::choose
