#include "proof/definite.hpp"

#include <mercer/error.hpp>

namespace mercer::proof {

namespace {

class Elimination {
 public:
  explicit Elimination(const Matrix& G) : rest_(G), open_(G.size()) {
    for (std::size_t i = 0; i < G.size(); ++i) open_[i] = i;
  }

  Definiteness run() {
    Definiteness result;
    while (!open_.empty()) {
      if (const auto bad = negative_direction()) {
        result.direction = lifted(*bad);
        return result;
      }
      const auto pivot = next_pivot();
      if (!pivot) break;  // what is left is 0
      eliminate(*pivot);
      ++result.rank;
    }
    result.semidefinite = true;
    return result;
  }

 private:
  struct Step {
    std::size_t pivot;
    std::vector<Rational> row;  // of the pivot, divided by its diagonal entry
  };

  // In the part not yet eliminated: a negative diagonal entry, or a zero one with something beside
  // it.
  [[nodiscard]] std::optional<std::vector<Rational>> negative_direction() const {
    for (const auto i : open_) {
      if (rest_[i][i].sign() > 0) continue;
      std::vector<Rational> v(rest_.size());
      if (rest_[i][i].sign() < 0) {
        v[i] = 1;
        return v;
      }
      for (const auto j : open_) {
        const Rational& beside = rest_[i][j];
        if (beside.is_zero()) continue;
        // (t e_i + e_j)ᵀ G (t e_i + e_j) = 2 t G_ij + G_jj, made -1 or less by a simple t.
        v[j] = 1;
        v[i] = -(rest_[j][j] + Rational(1)) / (Rational(2) * beside);
        return v;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> next_pivot() const {
    for (const auto i : open_)
      if (rest_[i][i].sign() > 0) return i;
    return std::nullopt;
  }

  void eliminate(std::size_t pivot) {
    Step step{pivot, rest_[pivot]};
    const Rational d = rest_[pivot][pivot];
    for (auto& r : step.row) r = r / d;
    std::erase(open_, pivot);
    for (const auto i : open_) {
      if (rest_[i][pivot].is_zero()) continue;
      for (const auto j : open_) rest_[i][j] = rest_[i][j] - rest_[i][pivot] * step.row[j];
    }
    steps_.push_back(std::move(step));
  }

  // A direction in the open part as one of the whole matrix with the same value: the eliminated
  // coordinates take the place where they add nothing.
  [[nodiscard]] std::vector<Rational> lifted(std::vector<Rational> v) const {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      Rational total;
      for (std::size_t j = 0; j < v.size(); ++j)
        if (j != step->pivot && !v[j].is_zero()) total += step->row[j] * v[j];
      v[step->pivot] = -total;
    }
    return v;
  }

  Matrix rest_;
  std::vector<std::size_t> open_;
  std::vector<Step> steps_;
};

}  // namespace

std::optional<Definiteness> definiteness(const Matrix& G) {
  try {
    return Elimination(G).run();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace mercer::proof
