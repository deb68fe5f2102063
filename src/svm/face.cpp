#include "svm/face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/aligned.hpp"
#include "base/huge.hpp"
#include "numeric/cholesky.hpp"

namespace mercer::support {

namespace {

class Descent {
 public:
  Descent(Face& face, const numeric::How& how) : face_(face), how_(how), n_(face.size()) {}

  FaceEnd run() {
    FaceEnd end;
    if (!factor()) return end;
    end.moved = true;
    const std::vector<double> before = face_.beta;
    begin();
    const std::size_t most = 32 + n_ / 8;
    while (true) {
      aim();
      const Stop stop = first_bound();
      go(std::min(1.0, stop.time));
      if (stop.time >= 1) {
        end.whole = true;
        break;
      }
      face_.beta[stop.who] = stop.bound;
      stays_[stop.who] = 1;
      ++end.met;
      if (end.met == most) break;
      if (!hold(stop.who)) {  // nobody is left who could move
        end.whole = true;
        break;
      }
    }
    keep_sums(before);
    return end;
  }

 private:
  struct Stop {
    double time = std::numeric_limits<double>::infinity();
    std::size_t who = 0;
    double bound = 0;
  };

  bool factor() {
    constexpr std::size_t large = 512;  // smaller ones come one after the other
    if (n_ < large) {
      small_ = Aligned<double>(n_ * n_);
      L_ = small_.data();
    } else {
      memory_ = HugeMemory(n_ * n_ * sizeof(double));
      L_ = static_cast<double*>(memory_.data());
    }
    double shift = face_.shift;
    constexpr int tries = 6;
    for (int k = 0; k < tries; ++k) {
      face_.matrix(L_);
      for (std::size_t i = 0; i < n_; ++i) L_[i * n_ + i] += shift;
      if (numeric::cholesky(L_, n_, n_, how_) == n_) return true;
      constexpr double more = 16;
      shift *= more;
    }
    return false;
  }

  // B ← M⁻¹B, column by column into rows of their own.
  std::vector<std::vector<double>> solved(Aligned<double>& B, std::size_t columns) const {
    numeric::solve_cholesky(L_, n_, n_, B.data(), columns, columns, how_);
    std::vector<std::vector<double>> all(columns, std::vector<double>(n_));
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t c = 0; c < columns; ++c) all[c][i] = B[i * columns + c];
    return all;
  }

  // u, and the conditions on sums.
  void begin() {
    stays_.assign(n_, 0);
    columns_.resize(n_);
    std::size_t groups = 0;
    if (face_.keeps_sum)
      for (const auto g : face_.group) groups = std::max<std::size_t>(groups, g + std::size_t{1});
    Aligned<double> B(n_ * (groups + 1));
    std::fill_n(B.data(), B.size(), 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      B[i * (groups + 1)] = -face_.gradient[i];
      if (groups > 0) B[i * (groups + 1) + 1 + face_.group[i]] = 1;
    }
    auto all = solved(B, groups + 1);
    u_ = std::move(all[0]);
    for (std::size_t g = 0; g < groups; ++g) add({true, g}, std::move(all[g + 1]));
  }

  struct Condition {
    bool sum;           // of a group; else that a variable stays
    std::size_t which;  // of the groups, of the variables
  };

  [[nodiscard]] double product(const Condition& c, const std::vector<double>& v) const {
    if (!c.sum) return v[c.which];
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (face_.group[i] == c.which) sum += v[i];
    return sum;
  }

  // One more row of the Cholesky factor of AᵀZ. False where the condition follows from the others.
  bool add(const Condition& c, std::vector<double>&& z) {
    std::vector<double> row;
    const double own = product(c, z);
    double pivot = own;
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
      double value = product(conditions_[k], z);
      for (std::size_t l = 0; l < k; ++l) value -= factor_[k][l] * row[l];
      row.push_back(value / factor_[k][k]);
      pivot -= row[k] * row[k];
    }
    constexpr double nothing = 1e-13;
    if (!(pivot > nothing * own)) return false;
    row.push_back(std::sqrt(pivot));
    double value = product(c, u_);
    for (std::size_t l = 0; l < conditions_.size(); ++l) value -= row[l] * towards_[l];
    towards_.push_back(value / row.back());
    factor_.push_back(std::move(row));
    conditions_.push_back(c);
    Z_.push_back(std::move(z));
    return true;
  }

  // d = u - Z (AᵀZ)⁻¹ Aᵀu. Aᵀd = 0, so that what is known of Aᵀu holds while u changes by d.
  void aim() {
    d_ = u_;
    std::vector<double> weights = towards_;
    for (std::size_t k = weights.size(); k-- > 0;) {
      for (std::size_t l = k + 1; l < weights.size(); ++l) weights[k] -= factor_[l][k] * weights[l];
      weights[k] /= factor_[k][k];
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double* z = Z_[k].data();
      for (std::size_t i = 0; i < n_; ++i) d_[i] -= weights[k] * z[i];
    }
    for (std::size_t i = 0; i < n_; ++i)
      if (stays_[i] != 0) d_[i] = 0;
  }

  // When a variable meets its bound, as a share of the step.
  [[nodiscard]] Stop meets(std::size_t i) const {
    if (d_[i] == 0) return {};
    const double bound = d_[i] > 0 ? face_.upper[i] : face_.lower[i];
    return {std::max(0.0, (bound - face_.beta[i]) / d_[i]), i, bound};
  }

  [[nodiscard]] Stop first_bound() const {
    Stop first;
    for (std::size_t i = 0; i < n_; ++i) {
      const Stop s = meets(i);
      if (s.time < first.time) first = s;
    }
    return first;
  }

  void go(double time) {
    for (std::size_t i = 0; i < n_; ++i) {
      face_.beta[i] = std::clamp(face_.beta[i] + time * d_[i], face_.lower[i], face_.upper[i]);
      u_[i] -= time * d_[i];
    }
  }

  // A variable stays from now on. Columns of M⁻¹ are computed for several at a time, those that are
  // likely to come next among them.
  bool hold(std::size_t who) {
    if (columns_[who].empty()) {
      std::vector<std::pair<double, std::size_t>> next;
      for (std::size_t i = 0; i < n_; ++i) {
        const Stop s = meets(i);
        if (i != who && stays_[i] == 0 && columns_[i].empty() && s.time < 1)
          next.emplace_back(s.time, i);
      }
      constexpr std::size_t at_once = 15;
      const std::size_t count = std::min(at_once, next.size());
      std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(count),
                        next.end());
      std::vector<std::size_t> which{who};
      for (std::size_t k = 0; k < count; ++k) which.push_back(next[k].second);
      Aligned<double> B(n_ * which.size());
      std::fill_n(B.data(), B.size(), 0.0);
      // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete): `who` is one of n > 0
      for (std::size_t c = 0; c < which.size(); ++c) B[which[c] * which.size() + c] = 1;
      auto all = solved(B, which.size());
      for (std::size_t c = 0; c < which.size(); ++c) columns_[which[c]] = std::move(all[c]);
    }
    return add({false, who}, std::move(columns_[who]));
  }

  // What rounding took from a sum is given back to the variable with the most room.
  void keep_sums(const std::vector<double>& before) {
    if (!face_.keeps_sum) return;
    for (const std::uint8_t g : {std::uint8_t{0}, std::uint8_t{1}}) {
      double lost = 0;
      double most = 0;
      std::optional<std::size_t> who;
      for (std::size_t i = 0; i < n_; ++i) {
        if (face_.group[i] != g) continue;
        lost += before[i] - face_.beta[i];
        const double room =
            std::min(face_.upper[i] - face_.beta[i], face_.beta[i] - face_.lower[i]);
        if (room > most) {
          most = room;
          who = i;
        }
      }
      if (who && std::abs(lost) < most) face_.beta[*who] += lost;
    }
  }

  Face& face_;
  const numeric::How& how_;
  std::size_t n_;
  Aligned<double> small_;
  HugeMemory memory_;
  double* L_ = nullptr;
  std::vector<double> u_;
  std::vector<double> d_;
  std::vector<char> stays_;
  std::vector<std::vector<double>> columns_;  // of M⁻¹, where they are known
  std::vector<Condition> conditions_;
  std::vector<std::vector<double>> Z_;
  std::vector<std::vector<double>> factor_;  // of AᵀZ
  std::vector<double> towards_;              // the factor's inverse times Aᵀu
};

}  // namespace

FaceEnd descend(Face& face, const numeric::How& how) {
  constexpr std::size_t for_one_thread = 512;
  numeric::How use = how;
  if (face.size() < for_one_thread) use.threads = 1;
  return Descent(face, use).run();
}

}  // namespace mercer::support
