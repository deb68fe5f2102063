#include "svm/inner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/tiny.hpp"
#include "svm/face.hpp"
#include "svm/float_passes.hpp"

namespace mercer::support {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr double flat = 1e-12;  // the least curvature that is taken for one
constexpr std::size_t few = 6;

}  // namespace

template <class T>
Inner<T>::Inner(std::size_t first, std::size_t second, bool keeps_sum,
                const std::string& instructions)
    : passes_(passes<T>(instructions)),
      keeps_sum_(keeps_sum),
      split_(filled(first)),
      size_(split_ + filled(second)),
      beta_(size_),
      F_(size_),
      lower_(size_),
      upper_(size_),
      diagonal_(size_),
      group_(size_),
      instructions_(instructions),
      next_look_(2 * size_) {
  pieces_.push_back({0, split_, 0});
  if (second > 0) pieces_.push_back({split_, size_, 1});
  for (auto& rows : rows_) rows.resize(size_);
  for (std::size_t g = 0; g < 2; ++g) {
    up_[g].assign(size_, infinite);
    low_[g].assign(size_, -infinite);
  }
}

template <class T>
void Inner<T>::set_with(T diagonal, std::size_t at, const T* row_first, const T* row_second,
                        double beta, double F, double lower, double upper, std::uint8_t group) {
  rows_[0][at] = row_first;
  rows_[1][at] = row_second;
  diagonal_[at] = diagonal;
  beta_[at] = beta;
  F_[at] = F;
  lower_[at] = lower;
  upper_[at] = upper;
  group_[at] = group;
  groups_ = groups_ || group != 0;
  mark(at);
}

// With others that have none and violate optimality most: they are likely to be next.
template <class T>
template <class G>
void Inner<T>::fetch_rows(std::uint32_t at, const G* F) {
  if constexpr (std::is_same_v<G, float>) {
    if (together_ <= pass_step) return fetch_some(at, F);
  }
  if (together_ <= few) return fetch_all({&at, 1});  // sooner done than looking at all others
  G least = std::numeric_limits<G>::infinity();
  G largest = -least;
  for (std::size_t k = 0; k < size_; ++k) {
    least = std::min(least, F[k] + static_cast<G>(up_[group_[k]][k]));
    largest = std::max(largest, F[k] + static_cast<G>(low_[group_[k]][k]));
  }
  const G middle = keeps_sum_ ? least + (largest - least) / 2 : G(0);
  std::vector<std::pair<G, std::uint32_t>> candidates;
  for (std::size_t k = 0; k < size_; ++k) {
    if (rows_[0][k] != nullptr || k == at) continue;
    const G grows = middle - (F[k] + static_cast<G>(up_[group_[k]][k]));
    const G shrinks = F[k] + static_cast<G>(low_[group_[k]][k]) - middle;
    const G most = std::max(grows, shrinks);
    if (most > 0) candidates.emplace_back(-most, static_cast<std::uint32_t>(k));
  }
  const std::size_t count = std::min(together_ - 1, candidates.size());
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                    candidates.end());
  std::vector<std::uint32_t> some{at};
  for (std::size_t i = 0; i < count; ++i) some.push_back(candidates[i].second);
  fetch_all(some);
}

// The same, by vectors.
template <class T>
void Inner<T>::fetch_some(std::uint32_t at, const float* F) {
  if (aside_.empty()) {
    aside_.resize(size_);
    for (std::size_t k = 0; k < size_; ++k) aside_[k] = rows_[0][k] != nullptr ? infinite : 0;
  }
  aside_[at] = infinite;
  std::array<FloatExtreme, pass_step> others;
  const std::size_t count =
      float_passes(instructions_)
          .violating(F, up_[0].data(), low_[0].data(), aside_.data(), level_, size_, others.data());
  const auto end = others.begin() + static_cast<std::ptrdiff_t>(count);
  const std::size_t wanted = std::min(together_ - 1, count);
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(wanted), end,
                    [](const auto& a, const auto& b) { return a.value > b.value; });
  std::array<std::uint32_t, pass_step> some{at};
  for (std::size_t i = 0; i < wanted; ++i) {
    some[i + 1] = others[i].index;
    aside_[others[i].index] = infinite;
  }
  fetch_all({some.data(), wanted + 1});
}

template <class T>
void Inner<T>::fetch_all(std::span<const std::uint32_t> some) {
  std::vector<const T*> first(some.size());
  std::vector<const T*> second(some.size());
  fetch_(some, first, second);
  for (std::size_t i = 0; i < some.size(); ++i) {
    rows_[0][some[i]] = first[i];
    rows_[1][some[i]] = second[i];
  }
}

template <class T>
void Inner<T>::mark(std::size_t at) {
  up_[group_[at]][at] = beta_[at] < upper_[at] ? 0 : infinite;
  low_[group_[at]][at] = beta_[at] > lower_[at] ? 0 : -infinite;
}

template <class T>
void Inner<T>::allow_faces(unsigned threads, double rounding) {
  faces_ = true;
  threads_ = threads;
  rounding_ = rounding;
}

template <class T>
bool Inner<T>::too_large() const {
  if (!std::isfinite(most_squares_)) return false;
  double squares = 0;
  for (const double b : beta_) squares += b * b;
  return squares > most_squares_;
}

template <class T>
std::vector<std::uint32_t> Inner<T>::between_bounds() const {
  std::vector<std::uint32_t> free;
  for (std::size_t k = 0; k < size_; ++k)
    if (beta_[k] > lower_[k] && beta_[k] < upper_[k]) free.push_back(static_cast<std::uint32_t>(k));
  return free;
}

template <class T>
bool Inner<T>::look_at_face(End& end) {
  if (end.moves < next_look_) return false;
  next_look_ = end.moves + size_;
  end.coarse = too_large();
  if (!faces_ || end.coarse) return false;
  std::vector<std::uint32_t> free = between_bounds();
  // In moves: m³/6 multiply-adds for a factor are ten times as fast as those of moves.
  const auto m = static_cast<double>(free.size());
  const double price = m * m * m / (60 * static_cast<double>(size_)) + m;
  const std::size_t fewest = keeps_sum_ ? 3 : 2;  // fewer are one move
  if (free.size() < fewest || static_cast<double>(end.moves - last_face_) < price) return false;
  last_face_ = end.moves;
  ++end.faces;
  bool whole = false;
  while (!whole && free.size() >= fewest) {
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t k : free)
      if (rows_[0][k] == nullptr) missing.push_back(k);
    if (!missing.empty()) fetch_all(missing);
    faces_ = descend_on_face(free, whole);
    if (!faces_) break;
    free = between_bounds();
  }
  return true;
}

// False where it did not make the objective smaller: nothing has changed then.
template <class T>
bool Inner<T>::descend_on_face(const std::vector<std::uint32_t>& free, bool& whole) {
  Face face;
  double largest = 0;
  for (const std::uint32_t k : free) {
    face.gradient.push_back(F_[k]);
    face.beta.push_back(beta_[k]);
    face.lower.push_back(lower_[k]);
    face.upper.push_back(upper_[k]);
    face.group.push_back(group_[k]);
    largest = std::max(largest, std::abs(static_cast<double>(diagonal_[k])));
  }
  face.keeps_sum = keeps_sum_;
  face.shift = rounding_ * largest * std::sqrt(static_cast<double>(free.size()));
  face.matrix = [&](double* M) {
    for (std::size_t i = 0; i < free.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j)
        M[i * free.size() + j] =
            static_cast<double>(row(free[i], free[j] < split_ ? 0 : 1)[free[j]]);
  };
  const FaceEnd end = descend(face, {threads_, instructions_});
  if (!end.moved) return false;
  whole = end.whole;
  std::array<std::vector<const T*>, 2> rows;
  std::vector<double> by;
  std::vector<double> before(free.size());
  for (std::size_t i = 0; i < free.size(); ++i) {
    before[i] = F_[free[i]];
    const double d = face.beta[i] - beta_[free[i]];
    if (d == 0) continue;
    for (const Piece& p : pieces_) rows[p.stretch].push_back(row(free[i], p.stretch));
    by.push_back(d);
  }
  const std::vector<double> old_F = F_;
  for (const Piece& p : pieces_)
    passes_.add_rows(F_.data(), rows[p.stretch].data(), by.data(), by.size(), p.begin, p.end);
  double gain = 0;
  for (std::size_t i = 0; i < free.size(); ++i)
    gain -= 0.5 * (face.beta[i] - beta_[free[i]]) * (before[i] + F_[free[i]]);
  if (!(gain > 0)) {
    F_ = old_F;
    return false;
  }
  for (std::size_t i = 0; i < free.size(); ++i) {
    beta_[free[i]] = face.beta[i];
    mark(free[i]);
  }
  return true;
}

template <class T>
typename Inner<T>::End Inner<T>::solve(double tolerance, std::size_t most_moves) {
  const TinyIsZero tiny_is_zero;  // differences of values of points that are far away
  End end;
  if (!keeps_sum_) {
    end = solve_singles(tolerance, most_moves);
  } else if (groups_ || !solve_in_floats(tolerance, most_moves, end)) {
    end = solve_pairs(tolerance, most_moves, end);
  }
  end.for_ever = std::move(for_ever_);
  return end;
}

// F changes by rounding as it is moved, by some 1e-7 of it each time.
template <class T>
bool Inner<T>::solve_in_floats(double tolerance, std::size_t most_moves, End& end) {
  if constexpr (!std::is_same_v<T, float>) {
    return false;
  } else {
    constexpr double errors = 32;
    const auto most_exact = static_cast<float>(
        tolerance / (errors * static_cast<double>(std::numeric_limits<float>::epsilon())));
    const FloatPasses& passes = float_passes(instructions_);
    narrow_gradient_.resize(size_);
    float* const F = narrow_gradient_.data();
    FloatExtreme least;
    const auto find_least = [&](float t, auto row_i, auto row_j) {
      least = {std::numeric_limits<float>::infinity(), nobody};
      for (const Piece& p : pieces_) {
        const FloatExtreme here = passes.move(F + p.begin, up_[0].data() + p.begin, row_i(p),
                                              row_j(p), t, p.end - p.begin);
        if (here.index != nobody && here.value < least.value)
          least = {here.value, static_cast<std::uint32_t>(p.begin + here.index)};
      }
    };
    const auto begin = [&] {
      std::ranges::transform(F_, F, [](double f) { return static_cast<float>(f); });
      const auto any = [&](const Piece& p) { return F + p.begin; };
      find_least(0, any, any);
    };
    begin();
    while (true) {
      if (end.moves >= next_look_) {
        std::ranges::copy(narrow_gradient_, F_.begin());
        if (look_at_face(end)) begin();
        if (end.coarse) return true;
      }
      end.violation = 0;
      const std::uint32_t i = least.index;
      if (i == nobody) return true;
      need(i, F);
      FloatPartner best;
      for (const Piece& p : pieces_) {
        const FloatPartner here =
            passes.partner(F + p.begin, low_[0].data() + p.begin, row(i, p.stretch) + p.begin,
                           diagonal_.data() + p.begin, least.value, diagonal_[i], p.end - p.begin);
        best.largest = std::max(best.largest, here.largest);
        if (here.gain.index != nobody && here.gain.value > best.gain.value)
          best.gain = {here.gain.value, static_cast<std::uint32_t>(p.begin + here.gain.index)};
      }
      end.violation = std::max(0.0, static_cast<double>(best.largest - least.value));
      level_ = least.value + (best.largest - least.value) / 2;
      const std::uint32_t j = best.gain.index;
      if (end.violation <= tolerance || j == nobody || end.moves == most_moves) return true;
      if (std::max(std::abs(least.value), std::abs(best.largest)) > most_exact) {
        std::ranges::copy(narrow_gradient_, F_.begin());
        return false;
      }
      need(j, F);
      const double t = move(i, j, static_cast<double>(F[j] - F[i]));
      if (!for_ever_.empty()) return true;
      ++end.moves;
      find_least(
          static_cast<float>(t), [&](const Piece& p) { return row(i, p.stretch) + p.begin; },
          [&](const Piece& p) { return row(j, p.stretch) + p.begin; });
    }
  }
}

template <class T>
std::uint32_t Inner<T>::partner_in_doubles(std::uint32_t i) const {
  std::uint32_t best = nobody;
  double most = 0;
  for (std::size_t j = 0; j < size_; ++j) {
    if (group_[j] != group_[i] || !(beta_[j] > lower_[j]) || !(F_[j] > F_[i])) continue;
    const double curvature = static_cast<double>(diagonal_[i]) + static_cast<double>(diagonal_[j]) -
                             2 * static_cast<double>(row(i, j < split_ ? 0 : 1)[j]);
    const double by = F_[j] - F_[i];
    const double gain = by / std::max(curvature, flat) * by;
    if (best != nobody && !(gain > most)) continue;
    most = gain;
    best = static_cast<std::uint32_t>(j);
  }
  return best;
}

template <class T>
std::uint32_t Inner<T>::single_in_doubles() const {
  std::uint32_t best = nobody;
  double most = 0;
  for (std::size_t j = 0; j < size_; ++j) {
    if (!(F_[j] > 0 ? beta_[j] > lower_[j] : F_[j] < 0 && beta_[j] < upper_[j])) continue;
    const double gain = F_[j] / std::max(static_cast<double>(diagonal_[j]), flat) * F_[j];
    if (best != nobody && !(gain > most)) continue;
    most = gain;
    best = static_cast<std::uint32_t>(j);
  }
  return best;
}

// β_i grows and β_j shrinks, as far as is best and their bounds allow: by how much.
template <class T>
double Inner<T>::move(std::uint32_t i, std::uint32_t j, double difference) {
  const auto K_ij = static_cast<double>(row(i, j < split_ ? 0 : 1)[j]);
  const double curvature =
      static_cast<double>(diagonal_[i]) + static_cast<double>(diagonal_[j]) - 2 * K_ij;
  const double room_i = upper_[i] - beta_[i];
  const double room_j = beta_[j] - lower_[j];
  constexpr double errors = 100;
  if (curvature < 0 && std::isinf(room_i) && std::isinf(room_j) &&
      -curvature > errors * rounding_ *
                       (std::abs(static_cast<double>(diagonal_[i])) +
                        std::abs(static_cast<double>(diagonal_[j])) + 2 * std::abs(K_ij))) {
    for_ever_ = {std::min(i, j), std::max(i, j)};
    return 0;
  }
  double t = std::min({difference / std::max(curvature, flat), room_i, room_j});
  // No further at once than to where it ends anyway.
  if (std::isinf(room_i) && std::isinf(room_j) && most_squares_ > 0)
    t = std::min(t, std::sqrt(most_squares_));
  beta_[i] = t == room_i ? upper_[i] : beta_[i] + t;
  beta_[j] = t == room_j ? lower_[j] : beta_[j] - t;
  mark(i);
  mark(j);
  return t;
}

template <class T>
typename Inner<T>::End Inner<T>::solve_pairs(double tolerance, std::size_t most_moves, End end) {
  const std::size_t groups = groups_ ? 2 : 1;
  std::array<Least, 2> least;
  const auto look = [&] {
    least = {};
    for (std::size_t g = 0; g < groups; ++g)
      for (const Piece& p : pieces_)
        passes_.least(F_.data(), up_[g].data(), p.begin, p.end, least[g]);
  };
  look();
  while (true) {
    if (look_at_face(end)) look();
    if (end.coarse) return end;
    end.violation = 0;
    Partner best;
    std::uint32_t i = nobody;
    std::uint32_t worst = nobody;  // who grows where the violation is the largest
    for (std::size_t g = 0; g < groups; ++g) {
      const std::uint32_t grows = least[g].index;
      if (grows == nobody) continue;
      Partner found;
      need(grows, F_.data());
      for (const Piece& p : pieces_)
        passes_.partner(F_.data(), low_[g].data(), row(grows, p.stretch), diagonal_.data(),
                        least[g].value, diagonal_[grows], p.begin, p.end, found);
      if (found.largest - least[g].value > end.violation) {
        end.violation = found.largest - least[g].value;
        worst = grows;
      }
      if (found.gain > best.gain) {
        best = found;
        i = grows;
      }
    }
    if (end.violation <= tolerance || end.moves == most_moves) return end;
    if (worst != nobody && !(best.gain > 0 && best.gain < infinite)) {
      i = worst;
      best.index = partner_in_doubles(worst);
    }
    if (best.index == nobody) return end;
    const std::uint32_t j = best.index;
    need(j, F_.data());
    const double t = move(i, j, F_[j] - F_[i]);
    if (!for_ever_.empty()) return end;
    ++end.moves;
    least = {};
    if (groups == 1) {
      for (const Piece& p : pieces_)
        passes_.move(F_.data(), up_[0].data(), row(i, p.stretch), row(j, p.stretch), t, p.begin,
                     p.end, least[0]);
    } else {
      for (const Piece& p : pieces_) {
        passes_.move(F_.data(), up_[0].data(), row(i, p.stretch), row(j, p.stretch), t, p.begin,
                     p.end, least[0]);
        passes_.least(F_.data(), up_[1].data(), p.begin, p.end, least[1]);
      }
    }
  }
}

template <class T>
typename Inner<T>::End Inner<T>::solve_singles(double tolerance, std::size_t most_moves) {
  End end;
  std::uint32_t moved = 0;  // by 0, to begin with
  double t = 0;
  while (true) {
    Partner found;
    need(moved, F_.data());
    for (const Piece& p : pieces_)
      passes_.move_one(F_.data(), up_[0].data(), low_[0].data(), row(moved, p.stretch),
                       diagonal_.data(), t, p.begin, p.end, found);
    end.violation = std::max(0.0, found.largest);
    if (end.violation <= tolerance || end.moves == most_moves) return end;
    if (!(found.gain > 0 && found.gain < infinite)) found.index = single_in_doubles();
    if (found.index == nobody) return end;
    if (look_at_face(end)) {
      t = 0;  // F is up to date
      continue;
    }
    if (end.coarse) return end;
    moved = found.index;
    if (diagonal_[moved] < 0 && std::isinf(F_[moved] < 0 ? upper_[moved] : lower_[moved])) {
      for_ever_ = {moved};
      return end;
    }
    const double before = beta_[moved];
    const double wanted =
        before - F_[moved] / std::max(static_cast<double>(diagonal_[moved]), flat);
    beta_[moved] = std::clamp(wanted, lower_[moved], upper_[moved]);
    if (most_squares_ > 0 && std::isinf(upper_[moved] - lower_[moved])) {
      const double most = std::sqrt(most_squares_);
      beta_[moved] = std::clamp(beta_[moved], before - most, before + most);
    }
    t = beta_[moved] - before;
    mark(moved);
    ++end.moves;
  }
}

template class Inner<float>;
template class Inner<double>;

}  // namespace mercer::support
