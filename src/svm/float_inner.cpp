#include "svm/float_inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svm/face.hpp"

namespace mercer::support {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr double flat = 1e-12;  // the least curvature that is taken for one

}  // namespace

void FloatInner::begin(std::size_t size) {
  rows_.resize(size);
  beta_.resize(size);
  lower_.resize(size);
  upper_.resize(size);
  F_.assign(filled(size), 0);
  diagonal_.assign(filled(size), 0);
  up_.assign(filled(size), infinite);
  low_.assign(filled(size), -infinite);
}

void FloatInner::set(std::size_t at, const float* row, double beta, double F, double lower,
                     double upper) {
  rows_[at] = row;
  beta_[at] = beta;
  lower_[at] = lower;
  upper_[at] = upper;
  F_[at] = static_cast<float>(F);
  diagonal_[at] = row[at];
  mark(at);
}

std::vector<std::uint32_t> FloatInner::between_bounds() const {
  std::vector<std::uint32_t> free;
  for (std::size_t k = 0; k < beta_.size(); ++k)
    if (beta_[k] > lower_[k] && beta_[k] < upper_[k]) free.push_back(static_cast<std::uint32_t>(k));
  return free;
}

// As many moves take as long as one step on a face, about; measured.
std::size_t FloatInner::moves_like_a_face() const {
  const std::size_t m = between_bounds().size();
  return m * m * m / (30 * F_.size()) + 2 * m + F_.size();
}

bool FloatInner::descend_on_faces() {
  bool whole = false;
  for (auto free = between_bounds(); !whole && free.size() >= 3; free = between_bounds())
    if (!descend_on_face(free, whole)) return false;
  return true;
}

bool FloatInner::descend_on_face(const std::vector<std::uint32_t>& free, bool& whole) {
  Face face;
  double largest = 0;
  for (const std::uint32_t k : free) {
    face.gradient.push_back(static_cast<double>(F_[k]));
    face.beta.push_back(beta_[k]);
    face.lower.push_back(lower_[k]);
    face.upper.push_back(upper_[k]);
    largest = std::max(largest, std::abs(static_cast<double>(diagonal_[k])));
  }
  face.group.assign(free.size(), 0);
  const double rounding = 0.5 * static_cast<double>(std::numeric_limits<float>::epsilon());
  face.shift = rounding * largest * std::sqrt(static_cast<double>(free.size()));
  face.matrix = [&](double* M) {
    for (std::size_t i = 0; i < free.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        M[i * free.size() + j] = static_cast<double>(rows_[free[i]][free[j]]);
  };
  const FaceEnd end = descend(face, {1, instructions_});
  if (!end.moved) return false;
  whole = end.whole;
  std::vector<const float*> rows;
  std::vector<double> by;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const double d = face.beta[i] - beta_[free[i]];
    if (d == 0) continue;
    rows.push_back(rows_[free[i]]);
    by.push_back(d);
  }
  std::vector<double> F(F_.begin(), F_.end());
  add_rows_(F.data(), rows.data(), by.data(), rows.size(), 0, F.size());
  double gain = 0;
  for (std::size_t i = 0; i < free.size(); ++i)
    gain -= 0.5 * (face.beta[i] - beta_[free[i]]) * (face.gradient[i] + F[free[i]]);
  if (!(gain > 0)) return false;
  for (std::size_t k = 0; k < F.size(); ++k) F_[k] = static_cast<float>(F[k]);
  for (std::size_t i = 0; i < free.size(); ++i) {
    beta_[free[i]] = face.beta[i];
    mark(free[i]);
  }
  return true;
}

FloatInner::End FloatInner::solve(float tolerance, std::size_t most_moves) {
  End end;
  const std::size_t size = F_.size();
  if (rows_.empty()) return end;
  std::size_t next_look = size;
  std::size_t last_face = 0;
  FloatExtreme least = passes_.move(F_.data(), up_.data(), rows_[0], rows_[0], 0, size);
  while (least.index != nobody) {
    const std::uint32_t i = least.index;
    const FloatPartner partner = passes_.partner(F_.data(), low_.data(), rows_[i], diagonal_.data(),
                                                 least.value, diagonal_[i], size);
    end.violation = std::max(0.0F, partner.largest - least.value);
    const std::uint32_t j = partner.gain.index;
    if (end.violation <= tolerance || j == nobody || end.moves == most_moves) break;
    const double curvature = static_cast<double>(diagonal_[i]) + static_cast<double>(diagonal_[j]) -
                             2 * static_cast<double>(rows_[i][j]);
    const double room_i = upper_[i] - beta_[i];
    const double room_j = beta_[j] - lower_[j];
    const double wanted = static_cast<double>(F_[j] - F_[i]) / std::max(curvature, flat);
    const double t = std::min({wanted, room_i, room_j});
    beta_[i] = t == room_i ? upper_[i] : beta_[i] + t;
    beta_[j] = t == room_j ? lower_[j] : beta_[j] - t;
    mark(i);
    mark(j);
    ++end.moves;
    least = passes_.move(F_.data(), up_.data(), rows_[i], rows_[j], static_cast<float>(t), size);
    if (end.moves < next_look) continue;
    next_look = end.moves + size;
    if (end.moves < last_face + moves_like_a_face()) continue;
    last_face = end.moves;
    if (!descend_on_faces()) next_look = most_moves + 1;
    least = passes_.move(F_.data(), up_.data(), rows_[0], rows_[0], 0, size);
  }
  return end;
}

}  // namespace mercer::support
