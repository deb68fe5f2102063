// How good are predictions? Measures of them against the truth, over weighted rows that may come in
// batches.
//
//     ClassificationScore score({"ham", "spam"});
//     score.add(truth, prediction.classes, prediction.scores);    // as often as there are batches
//     score.accuracy(), score.auc()
//
// With w the weights of the rows (1 without any) and W their sum:
//     accuracy    Σ w [predicted = true] / W
//     precision   of class c: right ones among the rows predicted as c; 0 where there are none
//     recall      of class c: right ones among the rows that are c
//     balanced    accuracy: the plain mean of the recall of the classes that occur
//     F1          2 precision recall / (precision + recall), and the plain mean over the classes
//                 that occur, as truth or as prediction
//     AUC         P(f(x) > f(z)) + P(f(x) = f(z))/2 for a random x of the class and a random z of
//                 the others: exact, by ranks. Of several classes the mean over those for which
//                 there are rows on both sides, each against the rest
//     log-loss    - Σ w log p(true class) / W, with p not below 1e-15
//     RMSE        √(Σ w (f - y)² / W),  MAE  Σ w |f - y| / W
//     R²          1 - Σ w (f - y)² / Σ w (y - mean)²
// A label that is none of the classes (a class that was not there in training) is a class of its
// own that is never predicted: its rows count against the accuracy and against the precision of
// what they were taken for, its F1 is 0, and it takes part in the mean. AUC and log-loss are about
// scores, of which it has none: its rows are left out there. What has no value (R² of constant
// labels, the AUC of one class) is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mercer/matrix.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

class ClassificationScore {
 public:
  explicit ClassificationScore(std::vector<std::string> classes);

  // The number of a label that is none of the classes; they stand behind the classes.
  std::int32_t other(const std::string& label);

  // The class of each row, or other label, and the class predicted for it. `merits`: what the
  // classes are ranked by, a column for each, or a single one for the second of two; empty: no AUC.
  // They are kept, two numbers per class and row. `probabilities`: a column for each class; empty:
  // no log-loss.
  void add(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
           const Matrix& merits = {}, const Matrix& probabilities = {},
           std::span<const double> weights = {});

  struct OfClass {
    double precision = 0;
    double recall = 0;
    double f1 = 0;
    double rows = 0;       // that are of it, by weight
    double predicted = 0;  // that were taken for it
  };

  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
  [[nodiscard]] const std::vector<std::string>& others() const { return others_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t other_rows() const { return other_rows_; }
  [[nodiscard]] double accuracy() const;
  [[nodiscard]] double balanced_accuracy() const;
  // By weight: confusion()(a, b) of class a, predicted as b; the rows of other labels come last.
  // Throws Error beyond 5000 classes and labels.
  [[nodiscard]] Matrix confusion() const;
  [[nodiscard]] std::vector<OfClass> per_class() const;  // other labels come last
  // Over the classes and labels that occur, as truth or as prediction.
  [[nodiscard]] double macro_f1() const;
  [[nodiscard]] std::optional<double> auc() const;
  [[nodiscard]] std::optional<double> log_loss() const;

 private:
  struct Ranked {
    double merit;
    double weight;
    std::int32_t of;
  };

  std::vector<std::string> classes_;
  std::vector<std::string> others_;
  std::map<std::string, std::int32_t> other_numbers_;
  std::map<std::pair<std::int32_t, std::int32_t>, double> confusion_;  // what occurs of it
  std::size_t rows_ = 0;
  std::size_t other_rows_ = 0;
  double weight_ = 0;
  std::vector<std::vector<Ranked>> ranked_;  // by each class, or by the second alone
  double loss_ = 0;
  double loss_weight_ = 0;
};

class RegressionScore {
 public:
  void add(std::span<const double> truth, std::span<const double> predicted,
           std::span<const double> weights = {});

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] double rmse() const;
  [[nodiscard]] double mae() const;
  [[nodiscard]] std::optional<double> r2() const;

 private:
  std::size_t rows_ = 0;
  double weight_ = 0;
  double squares_ = 0;
  double absolute_ = 0;
  double mean_ = 0;    // of the labels so far, and
  double spread_ = 0;  // Σ w (y - mean)², both by Welford's update, which does not cancel
};

// The AUC of one ranking: `positive` tells the sides. Absent where one of them has no weight.
std::optional<double> auc(std::span<const double> merits, std::span<const bool> positive,
                          std::span<const double> weights = {});

}  // namespace mercer
