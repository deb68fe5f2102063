#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>
#include <mercer/metrics.hpp>

namespace mercer {

namespace {

void check_length(std::size_t found, std::size_t rows, const char* what) {
  if (found != rows)
    throw Error(std::to_string(found) + " " + what + " for " + std::to_string(rows) + " rows");
}

void check_weights(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return;
  check_length(weights.size(), rows, "weights");
  if (!std::ranges::all_of(weights, [](double w) { return w >= 0 && std::isfinite(w); }))
    throw Error("a weight is negative or not finite");
}

double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1 : weights[i];
}

// Sorted by merit, each positive outranks the negatives before its run of ties, and half of those
// within it.
template <class Item, class IsPositive>
std::optional<double> auc_of(std::vector<Item> items, const IsPositive& is_positive) {
  std::ranges::sort(items, {}, [](const Item& item) { return item.merit; });
  double positive = 0;
  double negative = 0;
  double won = 0;
  for (std::size_t i = 0; i < items.size();) {
    double up = 0;
    double down = 0;
    const double merit = items[i].merit;
    for (; i < items.size() && items[i].merit == merit; ++i)
      (is_positive(items[i]) ? up : down) += items[i].weight;
    won += up * (negative + down / 2);
    positive += up;
    negative += down;
  }
  if (positive <= 0 || negative <= 0) return std::nullopt;
  return won / (positive * negative);
}

void check_merits(const Matrix& merits) {
  for (const double v : merits.values)
    if (std::isnan(v)) throw Error("a score is not a number");
}

}  // namespace

std::optional<double> auc(std::span<const double> merits, std::span<const bool> positive,
                          std::span<const double> weights) {
  struct Item {
    double merit;
    double weight;
    bool positive;
  };
  check_length(positive.size(), merits.size(), "sides");
  check_weights(weights, merits.size());
  std::vector<Item> items;
  items.reserve(merits.size());
  for (std::size_t i = 0; i < merits.size(); ++i) {
    if (std::isnan(merits[i])) throw Error("a score is not a number");
    items.push_back({merits[i], weight_of(weights, i), positive[i]});
  }
  return auc_of(std::move(items), [](const Item& item) { return item.positive; });
}

ClassificationScore::ClassificationScore(std::vector<std::string> classes)
    : classes_(std::move(classes)) {
  if (classes_.size() < 2) throw Error("a classification has two classes or more");
}

std::int32_t ClassificationScore::other(const std::string& label) {
  const auto number = static_cast<std::int32_t>(classes_.size() + others_.size());
  const auto [at, fresh] = other_numbers_.emplace(label, number);
  if (fresh) others_.push_back(label);
  return at->second;
}

Matrix ClassificationScore::confusion() const {
  constexpr std::size_t most = 5000;
  const std::size_t c = classes_.size();
  const std::size_t all = c + others_.size();
  if (all > most) throw Error("a confusion matrix of " + std::to_string(all) + " classes");
  Matrix matrix = Matrix::zeros(all, c);
  for (const auto& [pair, weight] : confusion_)
    matrix(static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second)) = weight;
  return matrix;
}

void ClassificationScore::add(std::span<const std::int32_t> truth,
                              std::span<const std::int32_t> predicted, const Matrix& merits,
                              const Matrix& probabilities, std::span<const double> weights) {
  const std::size_t n = truth.size();
  const std::size_t c = classes_.size();
  check_length(predicted.size(), n, "predictions");
  check_weights(weights, n);
  const auto below = [](std::size_t end) {
    return [end](std::int32_t k) { return k >= 0 && static_cast<std::size_t>(k) < end; };
  };
  if (!std::ranges::all_of(predicted, below(c)) ||
      !std::ranges::all_of(truth, below(c + others_.size())))
    throw Error("a class that is none of the " + std::to_string(c));
  if (merits.columns > 0) {
    check_length(merits.rows, n, "scores");
    check_merits(merits);
    if (merits.columns != c && (merits.columns != 1 || c != 2))
      throw Error(std::to_string(merits.columns) + " scores per row for " + std::to_string(c) +
                  " classes");
    ranked_.resize(c == 2 ? 1 : c);
  }
  if (probabilities.columns > 0) {
    check_length(probabilities.rows, n, "probabilities");
    check_length(probabilities.columns, c, "columns of probabilities");
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weight_of(weights, i);
    ++rows_;
    weight_ += w;
    confusion_[{truth[i], predicted[i]}] += w;
    const auto of = static_cast<std::size_t>(truth[i]);
    if (of >= c) {
      ++other_rows_;
      continue;
    }
    if (merits.columns > 0 && c == 2) {
      // Of two columns the difference, as one class's gain is the other's loss.
      const double merit = merits.columns == 1 ? merits(i, 0) : merits(i, 1) - merits(i, 0);
      ranked_[0].push_back({merit, w, truth[i]});
    } else if (merits.columns > 0) {
      for (std::size_t k = 0; k < c; ++k) ranked_[k].push_back({merits(i, k), w, truth[i]});
    }
    if (probabilities.columns > 0) {
      constexpr double least = 1e-15;
      loss_ -= w * std::log(std::max(probabilities(i, of), least));
      loss_weight_ += w;
    }
  }
}

double ClassificationScore::accuracy() const {
  double right = 0;
  for (const auto& [pair, weight] : confusion_)
    if (pair.first == pair.second) right += weight;
  return weight_ > 0 ? right / weight_ : 0;
}

std::vector<ClassificationScore::OfClass> ClassificationScore::per_class() const {
  struct Sums {
    double are = 0;
    double said = 0;
    double right = 0;
  };
  std::vector<Sums> sums(classes_.size() + others_.size());
  for (const auto& [pair, weight] : confusion_) {
    sums[static_cast<std::size_t>(pair.first)].are += weight;
    sums[static_cast<std::size_t>(pair.second)].said += weight;
    if (pair.first == pair.second) sums[static_cast<std::size_t>(pair.first)].right = weight;
  }
  const auto ratio = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  std::vector<OfClass> result;
  result.reserve(sums.size());
  for (const auto& [are, said, right] : sums)
    result.push_back(
        {ratio(right, said), ratio(right, are), ratio(2 * right, are + said), are, said});
  return result;
}

double ClassificationScore::balanced_accuracy() const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& of : per_class()) {
    if (of.rows <= 0) continue;
    sum += of.recall;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

double ClassificationScore::macro_f1() const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& of : per_class()) {
    if (of.rows + of.predicted <= 0) continue;
    sum += of.f1;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

std::optional<double> ClassificationScore::auc() const {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t k = 0; k < ranked_.size(); ++k) {
    const auto positive = static_cast<std::int32_t>(ranked_.size() == 1 ? 1 : k);
    const auto one =
        auc_of(ranked_[k], [positive](const Ranked& item) { return item.of == positive; });
    if (!one) continue;
    sum += *one;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::optional<double> ClassificationScore::log_loss() const {
  if (loss_weight_ <= 0) return std::nullopt;
  return loss_ / loss_weight_;
}

void RegressionScore::add(std::span<const double> truth, std::span<const double> predicted,
                          std::span<const double> weights) {
  check_length(predicted.size(), truth.size(), "predictions");
  check_weights(weights, truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double w = weight_of(weights, i);
    const double error = predicted[i] - truth[i];
    ++rows_;
    if (w == 0) continue;
    weight_ += w;
    squares_ += w * error * error;
    absolute_ += w * std::abs(error);
    const double step = truth[i] - mean_;
    mean_ += step * (w / weight_);  // of the first row exactly its label
    spread_ += w * step * (truth[i] - mean_);
  }
}

double RegressionScore::rmse() const { return weight_ > 0 ? std::sqrt(squares_ / weight_) : 0; }
double RegressionScore::mae() const { return weight_ > 0 ? absolute_ / weight_ : 0; }

std::optional<double> RegressionScore::r2() const {
  if (spread_ <= 0) return std::nullopt;
  return 1 - squares_ / spread_;
}

}  // namespace mercer
