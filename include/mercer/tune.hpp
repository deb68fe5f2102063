// Choosing a kernel, its parameters and the price (C of support vectors, λ of ridge) together, by
// cross-validation.
//
//     Tuned t = tune(data.table, {.kernels = {Kernel::parse("rbf(gamma=?)")}});
//     t.best().kernel, t.best().price
//
// Parameters left open in a kernel are searched on a grid, within their range where one is given
// (rbf(gamma=?[0.01,10])), else around what the data suggest. Two searches:
//     grid      every candidate on all rows
//     halving   all candidates on a small sample of the rows; those that are not hopeless there
//               (the better part, and all within a standard error of the best), with finer steps
//               around the best, on a sample three times as large; and so on up to all rows.
//               Machines that take long are given up: their scores are marked (not converged)
// A kernel value is computed once for all folds and all prices: how many there were is counted.
// The same data, options and seed give the same choice. Rows beyond what fits into the memory are
// left out of the search, and `rows` says how many took part.
//
// Encodings: candidates are compared on the table as it is. Whoever wants an honest figure for what
// was chosen keeps rows away from all of this: see tune_nested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mercer/cross_validation.hpp>
#include <mercer/kernel.hpp>
#include <mercer/train.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

struct Candidate {
  Kernel kernel = Kernel(0.0);                             // without open parameters
  std::vector<std::pair<std::string, double>> parameters;  // that were open: "gamma", 0.5
  double price = 0;                                        // C or λ
  std::size_t rows = 0;                                    // of the sample
  double score = 0;                                        // the mean over the folds
  double deviation = 0;                                    // of the folds
  std::vector<double> by_fold;
  std::size_t support = 0;  // of a machine, the mean over the folds; all machines together
  bool converged = true;
};

struct TuneOptions {
  enum class Search { halving, grid };
  Search search = Search::halving;
  std::vector<Kernel> kernels = {};  // empty: rbf(gamma=?)
  std::map<std::string, std::vector<double>> grid =
      {};                   // of parameters by name, and of "C", "lambda"
  std::string metric = {};  // empty: accuracy, rmse
  std::size_t folds = 5;
  std::vector<std::int64_t> groups = {};
  std::size_t candidates = 0;  // at most so many scores; 0: any number
  double seconds = 0;          // about; 0: any number. What is chosen then depends on the machine
  std::size_t memory = std::size_t{1792} << 20U;
  std::size_t rows = 0;  // take part at most; 0: as many as fit into the memory
  // Kernels are also composed: the best one + and × each of the others, as long as that helps.
  bool compose = false;
  TrainOptions train = {};  // learner svm or ridge, seed, weights, tolerance, threads, …
  // Scores of an earlier search on the same data with the same options, which are not computed
  // again.
  std::vector<Candidate> known = {};
  // After each kernel, with all so far; false ends it with the best so far.
  std::function<bool(const std::vector<Candidate>&)> observe = {};
};

struct Tuned {
  std::vector<Candidate> candidates;  // in the order in which they were tried
  std::size_t chosen = 0;
  std::string metric;
  bool more_is_better = true;
  Model::Task task = Model::Task::classification;
  Learner learner = Learner::svm;
  std::size_t rows = 0;  // that took part in the last comparison
  double kernel_values = 0;
  bool interrupted = false;        // by `observe`, or a budget
  std::vector<std::string> story;  // what was tried and why, in words
  std::vector<std::string> notes;

  [[nodiscard]] const Candidate& best() const { return candidates[chosen]; }
};

// Throws Error.
Tuned tune(const Table& table, const TuneOptions& options = {});

// The options for `train` that were chosen.
TrainOptions chosen_options(const Tuned& tuned, const TuneOptions& options);

// An honest figure: the rows are cut into `outer` parts; each is predicted by a rule that was
// chosen and learned, encoding and all, from the others.
CrossValidation tune_nested(const Examples& examples, const TuneOptions& options,
                            const CrossValidationOptions& outer);

// Everything from the data: kernels of several kinds, composed where that helps, their parameters
// and the price, on all rows but a part that is held out; what was chosen is measured on that part,
// and then learned again from all rows. Of few rows, each of five parts is held out in turn.
struct AutoChoice {
  Tuned tuned;               // on the rows that were not held out, or on all
  CrossValidation held_out;  // of a rule learned without them
  bool nested = false;       // in five parts
  EncodedTable data;         // all rows
  Trained trained;           // from all rows
};
// The kernels that are tried for a task where none are given.
std::vector<Kernel> usual_kernels(Model::Task task);
// Throws Error.
AutoChoice choose_automatically(const Examples& examples, TuneOptions options);

}  // namespace mercer
