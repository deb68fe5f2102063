#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "proof/candidates.hpp"
#include "proof/witness_search/shorten.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

using Indices = std::vector<Eigen::Index>;

struct Found {
  double length = 0;
  Indices members;
};

// All sets of n of the first `pool` points whose minor is negative. Determinants of fixed size are
// a few dozen operations.
template <int n>
void negative_sets(const Eigen::MatrixXd& S, Eigen::Index pool, Indices& members,
                   const std::vector<double>& lengths, std::vector<Found>& found) {
  if (members.size() == n) {
    Eigen::Matrix<double, n, n> minor;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        minor(i, j) = S(members[static_cast<std::size_t>(i)], members[static_cast<std::size_t>(j)]);
    if (minor.determinant() >= -1e-11) return;
    double length = 0;
    for (const auto i : members) length += lengths[static_cast<std::size_t>(i)];
    found.push_back({length, members});
    return;
  }
  const Eigen::Index from = members.empty() ? 0 : members.back() + 1;
  for (Eigen::Index i = from; i < pool; ++i) {
    members.push_back(i);
    negative_sets<n>(S, pool, members, lengths, found);
    members.pop_back();
  }
}

Sample part(const Sample& s, const Indices& members) {
  Sample result;
  for (const auto i : members) result.points.push_back(s.points[static_cast<std::size_t>(i)]);
  result.K = s.K(members, members);
  return result;
}

}  // namespace

std::optional<Witness> simple_sets(Search& search) {
  search.allow(200e6);
  const std::uint32_t d = search.dimension();
  const std::size_t size = d == 1 ? 36 : d == 2 ? 49 : 40;
  Sample pool = search.sample(simple_points(search.domain(), d, size));
  if (pool.points.empty()) return std::nullopt;
  const Eigen::Index n = pool.K.rows();

  // A zero on the diagonal beside something else: the shortest such pair.
  Indices degenerate;
  double shortest = std::numeric_limits<double>::infinity();
  Indices sound;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (pool.K(i, i) > 0) sound.push_back(i);
    for (Eigen::Index j = 0; pool.K(i, i) == 0 && j < n; ++j) {
      if (i == j || pool.K(i, j) == 0) continue;
      const double length = length_of(pool.points[static_cast<std::size_t>(i)]) +
                            length_of(pool.points[static_cast<std::size_t>(j)]) +
                            std::log10(1 + std::abs(pool.K(j, j) / pool.K(i, j)));
      if (length >= shortest) continue;
      shortest = length;
      degenerate = {i, j};
    }
  }
  if (!degenerate.empty())
    if (auto w = search.on(part(pool, degenerate))) return w;
  pool = part(pool, sound);

  const auto least = search.least(pool.K);
  if (!least) return std::nullopt;
  if (least->eigenvalue > -1e-12) return search.on(std::move(pool));

  const Eigen::VectorXd scale = pool.K.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd S = scale.asDiagonal() * pool.K * scale.asDiagonal();
  std::vector<double> lengths;
  for (const auto& p : pool.points) lengths.push_back(length_of(p));
  for (const int points : {2, 3, 4, 5}) {
    std::vector<Found> found;
    Indices members;
    const auto first = [&](Eigen::Index most) { return std::min(S.rows(), most); };
    if (points == 2) negative_sets<2>(S, first(64), members, lengths, found);
    if (points == 3) negative_sets<3>(S, first(50), members, lengths, found);
    if (points == 4) negative_sets<4>(S, first(28), members, lengths, found);
    if (points == 5) negative_sets<5>(S, first(18), members, lengths, found);
    std::ranges::stable_sort(found, {}, &Found::length);
    // The best of the shortest ones.
    std::optional<Sample> best;
    double cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 60); ++i) {
      Sample s = part(pool, found[i].members);
      const auto deep = search.least(s.K);
      if (!deep) continue;
      const auto a = short_coefficients(s.K, deep->coefficients);
      if (a.a.empty() || a.cost + found[i].length >= cost) continue;
      cost = a.cost + found[i].length;
      best = std::move(s);
    }
    if (best)
      if (auto w = search.on(std::move(*best))) return w;
    if (search.over()) return std::nullopt;
  }
  return search.on(std::move(pool));
}

}  // namespace mercer::proof
