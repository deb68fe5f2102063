#include "separable/spaces.hpp"

#include <algorithm>

namespace mercer::separability {

namespace {

// Of FLINT's exact elimination, per n³ and bit of the entries, as measured.
constexpr double solving = 0.1;
constexpr double reducing = 0.3;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

DoubleSpace::DoubleSpace(const Features& features, std::span<const int> y, bool offset)
    : Groups(y, offset), features_(features), scale_(features.squares().maxCoeff()) {}

const Eigen::VectorXd& DoubleSpace::column(std::size_t i) {
  const auto found = columns_.find(i);
  if (found != columns_.end()) return found->second;
  Eigen::VectorXd column = features_.products(i);
  for (std::size_t k = 0; k < size(); ++k) column(index(k)) *= y(i) * y(k);
  return columns_.emplace(i, std::move(column)).first->second;
}

// The equations of a minimum under equality constraints: Qa = μ of the group, sums 1.
std::optional<std::vector<double>> DoubleSpace::minimiser(const std::vector<std::size_t>& S) {
  const Eigen::Index m = index(S.size());
  const Eigen::Index g = index(groups());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m + g, m + g);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(m + g);
  const double unit = scale_ > 0 ? scale_ : 1;
  for (std::size_t j = 0; j < S.size(); ++j) {
    const auto& c = column(S[j]);
    for (std::size_t i = 0; i < S.size(); ++i) A(index(i), index(j)) = c(index(S[i])) / unit;
    A(index(j), m + index(group(S[j]))) = 1;
    A(m + index(group(S[j])), index(j)) = 1;
  }
  right.tail(g).setOnes();
  const Eigen::VectorXd a = A.partialPivLu().solve(right);
  if (!a.allFinite() || a.head(m).cwiseAbs().maxCoeff() > 1e12) return std::nullopt;
  return std::vector<double>(a.begin(), a.begin() + m);
}

std::vector<double> DoubleSpace::values(const std::vector<std::size_t>& S,
                                        const std::vector<double>& a) {
  // Columns of points that have left S are kept as long as there is room.
  constexpr std::size_t most_numbers = 50'000'000;
  if (columns_.size() * size() > most_numbers)
    std::erase_if(columns_,
                  [&](const auto& entry) { return std::ranges::find(S, entry.first) == S.end(); });
  Eigen::VectorXd total = Eigen::VectorXd::Zero(index(size()));
  for (std::size_t j = 0; j < S.size(); ++j) total += a[j] * column(S[j]);
  return {total.begin(), total.end()};
}

std::vector<std::size_t> DoubleSpace::start() {
  std::vector<std::size_t> support{0};
  const Eigen::VectorXd squares = features_.squares();
  if (groups() == 1) {
    Eigen::Index nearest = 0;
    squares.minCoeff(&nearest);
    support[0] = static_cast<std::size_t>(nearest);
    return support;
  }
  const auto& c = column(0);
  std::optional<std::size_t> best;
  double least = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (group(i) == group(0)) continue;
    const double distance = squares(index(i)) + 2 * c(index(i));  // y's differ: c is -φ·φ
    if (!best || distance < least) {
      best = i;
      least = distance;
    }
  }
  support.push_back(*best);
  return support;
}

void ExactSpace::check_time(const std::vector<std::size_t>& S, double nanoseconds) {
  const auto m = static_cast<double>(S.size());
  const Big entry = column(S[0]).at(S[0]);
  const auto bits = static_cast<double>(fmpz_bits(fmpq_numref(entry.get())) +
                                        fmpz_bits(fmpq_denref(entry.get())));
  const auto needed = std::chrono::duration<double>(nanoseconds * 1e-9 * m * m * m * bits);
  if (needed > deadline_ - Clock::now()) throw TimeUp();
}

const BigVector& ExactSpace::column(std::size_t i) {
  const auto found = columns_.find(i);
  if (found != columns_.end()) return found->second;
  if (Clock::now() > deadline_) throw TimeUp();
  auto products = features_.exact_products(i);
  if (!products) throw NotRational();
  for (std::size_t k = 0; k < size(); ++k)
    if (y(i) != y(k)) fmpq_neg((*products)[k].get(), (*products)[k].get());
  return columns_.emplace(i, BigVector(*products)).first->second;
}

std::optional<std::vector<Big>> ExactSpace::minimiser(const std::vector<std::size_t>& S) {
  const std::size_t m = S.size();
  check_time(S, solving);
  BigMatrix A(m + groups(), m + groups());
  std::vector<Big> right(m + groups());
  for (std::size_t j = 0; j < m; ++j) {
    const auto& c = column(S[j]);
    for (std::size_t i = 0; i < m; ++i) A.set(i, j, c.at(S[i]));
    A.set(j, m + group(S[j]), Big(1));
    A.set(m + group(S[j]), j, Big(1));
  }
  for (std::size_t g = 0; g < groups(); ++g) right[m + g] = Big(1);
  auto a = A.solve(right);
  if (a) a->resize(m);
  return a;
}

std::optional<std::vector<Big>> ExactSpace::dependency(const std::vector<std::size_t>& S) {
  const std::size_t m = S.size();
  check_time(S, reducing);
  BigMatrix A(m + groups(), m);
  for (std::size_t j = 0; j < m; ++j) {
    const auto& c = column(S[j]);
    for (std::size_t i = 0; i < m; ++i) A.set(i, j, c.at(S[i]));
    A.set(m + group(S[j]), j, Big(1));
  }
  return A.null_vector();
}

std::vector<Big> ExactSpace::values(const std::vector<std::size_t>& S, const std::vector<Big>& a) {
  std::vector<const BigVector*> columns;
  columns.reserve(S.size());
  for (const auto j : S) columns.push_back(&column(j));
  return combination(columns, a);
}

}  // namespace mercer::separability
