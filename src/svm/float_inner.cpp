#include "svm/float_inner.hpp"

#include <algorithm>
#include <limits>

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

void FloatInner::mark(std::size_t at) {
  up_[at] = beta_[at] < upper_[at] ? 0 : infinite;
  low_[at] = beta_[at] > lower_[at] ? 0 : -infinite;
}

FloatInner::End FloatInner::solve(float tolerance, std::size_t most_moves) {
  End end;
  const std::size_t size = F_.size();
  if (rows_.empty()) return end;
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
  }
  return end;
}

}  // namespace mercer::support
