#include <algorithm>
#include <functional>
#include <mercer/calibration.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "choose/answers.hpp"
#include "model/decide.hpp"
#include "svm/score_all.hpp"

namespace mercer::choose {

namespace {

// As `train` makes them: one, one for each pair of classes, or each class against the rest.
struct Machine {
  std::vector<std::size_t> rows;
  std::vector<double> y;
  std::size_t a;  // y = 1; without pairs, the number of the machine
  std::size_t b;
};

constexpr std::size_t classes_at_once = 4;

std::vector<Machine> machines_of(const Sample& sample, std::size_t classes, bool pairs) {
  const std::size_t n = sample.rows();
  std::vector<Machine> machines;
  if (!pairs) {
    for (std::size_t c = 0; c < sample.y.columns; ++c) {
      Machine m{Rows::all().of(n), {}, c, c};
      for (std::size_t i = 0; i < n; ++i) m.y.push_back(sample.y(i, c));
      machines.push_back(std::move(m));
    }
    return machines;
  }
  for (std::size_t a = 0; a < classes; ++a)
    for (std::size_t b = a + 1; b < classes; ++b) {
      Machine m{{}, {}, a, b};
      for (std::size_t i = 0; i < n; ++i) {
        const auto c = static_cast<std::size_t>(sample.codes[i]);
        if (c != a && c != b) continue;
        m.rows.push_back(i);
        m.y.push_back(c == a ? 1 : -1);
      }
      machines.push_back(std::move(m));
    }
  // Those with classes in common follow each other.
  std::ranges::stable_sort(machines, {}, [](const Machine& m) {
    return std::pair(m.a / classes_at_once, m.b / classes_at_once);
  });
  return machines;
}

support::HeldOutOptions held_out_options(const Sample& sample, const learn::Targets& targets,
                                         const AnswerOptions& options, bool few_machines) {
  support::HeldOutOptions how;
  how.prices = options.prices;
  how.folds = sample.folds;
  how.regression = targets.task == Model::Task::regression;
  how.epsilon = options.train.svm.epsilon;
  how.offset = options.train.offset.value_or(true);
  how.tolerance = options.train.svm.tolerance;
  how.give_up = options.give_up;
  if (how.give_up) how.moves = 30;
  how.weights = sample.weights;
  how.instructions = options.train.gram.instructions;
  how.apart = few_machines;
  how.threads = options.train.gram.threads;
  return how;
}

// P of each class at each row. The sigmoids for a fold are those of the scores of the others.
Matrix probabilities(const Sample& sample, const learn::Targets& targets,
                     const std::vector<Machine>& machines, bool pairs, const Matrix& scores) {
  Model shell;
  shell.scheme = pairs                  ? Model::Scheme::pairs
                 : machines.size() == 1 ? Model::Scheme::one
                                        : Model::Scheme::per_class;
  shell.classes = targets.classes;
  shell.calibration.resize(machines.size());
  Matrix result = Matrix::zeros(sample.rows(), targets.classes.size());
  for (std::size_t fold = 0; fold + 1 < sample.folds.size(); ++fold) {
    const std::size_t begin = sample.folds[fold];
    const std::size_t end = sample.folds[fold + 1];
    for (std::size_t m = 0; m < machines.size(); ++m) {
      std::vector<double> f;
      std::vector<char> positive;
      std::vector<double> weights;
      for (std::size_t k = 0; k < machines[m].rows.size(); ++k) {
        const std::size_t i = machines[m].rows[k];
        if (i >= begin && i < end) continue;
        f.push_back(scores(i, m));
        positive.push_back(machines[m].y[k] > 0 ? 1 : 0);
        if (!sample.row_weights.empty()) weights.push_back(sample.row_weights[i]);
      }
      shell.calibration[m] = fit_sigmoid(f, positive, weights);
    }
    const auto part =
        std::span(scores.values).subspan(begin * scores.columns, (end - begin) * scores.columns);
    const Matrix p = probabilities_by_score(
        shell, Matrix{end - begin, scores.columns, {part.begin(), part.end()}, {}});
    std::ranges::copy(p.values,
                      result.values.begin() + static_cast<std::ptrdiff_t>(begin * result.columns));
  }
  return result;
}

// What the scores of the machines say together, at one price; they are added one after the other.
class Tally {
 public:
  Tally(const Sample& sample, const learn::Targets& targets, const std::vector<Machine>& machines,
        bool pairs, bool calibrated)
      : sample_(sample), targets_(targets), machines_(machines), pairs_(pairs) {
    const std::size_t n = sample.rows();
    if (calibrated) scores_ = Matrix::zeros(n, machines.size());
    if (pairs) votes_ = Matrix::zeros(n, targets.classes.size());
    sums_ = Matrix::zeros(n, pairs ? targets.classes.size() : machines.size());
  }

  // The scores of a machine at some rows, from `first` on.
  void add(std::size_t number, std::size_t first, std::span<const double> scores) {
    const Machine& m = machines_[number];
    for (std::size_t k = 0; k < scores.size(); ++k) {
      const std::size_t i = first + k;
      const double f = scores[k];
      if (scores_.rows > 0) scores_(i, number) = f;
      if (pairs_) {
        votes_(i, f > 0 ? m.a : m.b) += 1;
        sums_(i, m.a) += f;
        sums_(i, m.b) -= f;
      } else {
        sums_(i, m.a) = f;
      }
    }
  }

  Answers answers() {
    Answers a;
    if (targets_.task == Model::Task::regression) {
      a.numbers = std::move(sums_.values);
      return a;
    }
    if (scores_.rows > 0) {
      a.probabilities = probabilities(sample_, targets_, machines_, pairs_, scores_);
      a.classes = model::most_probable(a.probabilities);
    } else {
      const Matrix& by = pairs_ ? votes_ : sums_;
      for (std::size_t i = 0; i < by.rows; ++i) {
        const auto row = by.row(i);
        a.classes.push_back(by.columns == 1 ? (row[0] > 0 ? 1 : 0)
                                            : static_cast<std::int32_t>(
                                                  std::ranges::max_element(row) - row.begin()));
      }
    }
    for (std::size_t e = 0; pairs_ && e < sums_.values.size(); ++e)
      sums_.values[e] = model::merit_of_votes(votes_.values[e], sums_.values[e]);
    a.merits = std::move(sums_);
    return a;
  }

 private:
  const Sample& sample_;
  const learn::Targets& targets_;
  const std::vector<Machine>& machines_;
  bool pairs_;
  Matrix scores_;  // of each machine, for probabilities
  Matrix votes_;
  Matrix sums_;
};

}  // namespace

template <class T>
std::vector<Answers> machine_answers(const Sample& sample, const learn::Targets& targets,
                                     const AnswerOptions& options, const T* values,
                                     std::size_t stride, MachineMemory<T>& memory) {
  const std::size_t n = sample.rows();
  const std::size_t prices = options.prices.size();
  const bool pairs =
      targets.classes.size() > 2 && options.train.multiclass == TrainOptions::Multiclass::pairs;
  const std::vector<Machine> machines = machines_of(sample, targets.classes.size(), pairs);
  const bool few = machines.size() <= 2;
  const auto how = held_out_options(sample, targets, options, few);
  const support::AllValues<T> K{values, n, stride};

  std::vector<Tally> tallies(prices,
                             Tally(sample, targets, machines, pairs, options.probabilities));
  std::vector<Answers> all(prices);
  std::vector<std::size_t> support(prices);
  bool converged = true;
  std::vector<support::HeldOut> found(machines.size());
  // The largest first: the last to end ends sooner.
  std::vector<std::size_t> order(machines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t k) { return machines[k].rows.size(); });
  parallel_for(found.size(), few ? 1 : options.train.gram.threads, [&](std::size_t turn) {
    const std::size_t k = order[turn];
    const Machine& m = machines[k];
    auto piece = memory.take();
    found[k] = support::hold_out(K, m.rows, m.y, how, *piece);
    memory.give_back(std::move(piece));
  });
  for (const auto& one : found) {
    converged = converged && one.converged;
    for (std::size_t p = 0; p < prices; ++p) support[p] += one.support[p];
  }
  support::score_all(
      K, how, options.train.gram.threads, found,
      [&](std::size_t machine, std::size_t price, std::size_t first,
          std::span<const double> scores) { tallies[price].add(machine, first, scores); });
  for (std::size_t p = 0; p < prices; ++p) {
    all[p] = tallies[p].answers();
    all[p].support = support[p] / (sample.folds.size() - 1);
    all[p].converged = converged;
  }
  return all;
}

template std::vector<Answers> machine_answers(const Sample&, const learn::Targets&,
                                              const AnswerOptions&, const float*, std::size_t,
                                              MachineMemory<float>&);
template std::vector<Answers> machine_answers(const Sample&, const learn::Targets&,
                                              const AnswerOptions&, const double*, std::size_t,
                                              MachineMemory<double>&);

}  // namespace mercer::choose
