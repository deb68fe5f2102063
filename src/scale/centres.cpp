#include "scale/centres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mercer/error.hpp>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "numeric/cholesky.hpp"

namespace mercer::scale {

namespace {

using numeric::How;
// Scores and distances are computed for so many candidates per centre, not for all rows.
constexpr std::size_t candidates_per_centre = 10;

GramOptions plain(const GramOptions& gram) {
  GramOptions how = gram;
  how.storage = GramOptions::Storage::recomputed;
  return how;
}

struct Picked {
  std::vector<std::size_t> which;  // of the candidates
  std::vector<double> D;
};

// The leverage of x with respect to μ is k(x,x) less what a sample S explains of it, over μ:
//     (k(x,x) - k_S(x)ᵀ (K_SS + μ |S|/n I)⁻¹ k_S(x)) / μ.
std::vector<double> leverages(const Kernel& k, const Points& x, std::size_t n, double mu,
                              const NystromOptions& options) {
  const How how{options.gram.threads, options.gram.instructions};
  const std::size_t count = x.rows();
  const auto pilot =
      RandomNumbers(options.seed + 1).sample(count, std::min<std::size_t>(1000, options.centres));
  const std::size_t q = pilot.size();
  GramOptions exact = plain(options.gram);
  exact.precision = GramOptions::Precision::float64;
  const Gram K(k, x, exact);
  std::vector<double> own(count);
  K.diagonal(own);
  std::vector<double> L(q * q);
  K.block(pilot, pilot, L.data(), q);
  double trace = 0;
  for (std::size_t i = 0; i < q; ++i) trace += L[i * q + i];
  const double price =
      mu * static_cast<double>(q) / static_cast<double>(n) + 1e-10 * trace / static_cast<double>(q);
  for (std::size_t i = 0; i < q; ++i) L[i * q + i] += price;
  if (numeric::cholesky(L.data(), q, q, how) != q)
    throw Error(k.text() + " is not a kernel on these points (see `mercer prove`)");
  std::vector<double> scores(count);
  constexpr std::size_t together = 1024;
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t now = std::min(together, count - begin);
    std::vector<double> B(q * now);
    K.block(pilot, Rows(begin, begin + now), B.data(), now);
    numeric::solve_lower(L.data(), q, q, B.data(), now, now, how);
    for (std::size_t i = 0; i < now; ++i) {
      double left = own[begin + i];
      for (std::size_t j = 0; j < q; ++j) left -= B[j * now + i] * B[j * now + i];
      scores[begin + i] = std::max(left / mu, 1e-12);
    }
  }
  return scores;
}

// m of them, likelier where the score is larger, none twice: the largest log(u)/score (Efraimidis
// and Spirakis, 2006).
Picked by_scores(const std::vector<double>& scores, std::size_t m, double stands_for,
                 std::uint64_t seed) {
  RandomNumbers random(seed + 2);
  std::vector<std::pair<double, std::size_t>> keys;
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double u = 1 - random.uniform();  // in (0, 1]
    keys.emplace_back(-std::log(u) / scores[i], i);
    total += scores[i];
  }
  std::ranges::sort(keys);
  keys.resize(std::min(m, keys.size()));
  Picked picked;
  for (const auto& [key, i] : keys) picked.which.push_back(i);
  std::ranges::sort(picked.which);
  for (const std::size_t i : picked.which) {
    const double times = scores[i] / total * static_cast<double>(picked.which.size());
    picked.D.push_back(stands_for * std::max(1.0, 1 / times));
  }
  return picked;
}

// The seeding of k-means++: each next one with a chance by the squared distance of φ to the nearest
// before it.
Picked by_distance(const Kernel& k, const Points& x, std::size_t m, double stands_for,
                   const NystromOptions& options) {
  const std::size_t count = x.rows();
  const Gram K(k, x, plain(options.gram));
  std::vector<double> own(count);
  K.diagonal(own);
  RandomNumbers random(options.seed + 3);
  std::vector<double> nearest(count, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> owner(count);
  std::vector<double> column(count);
  Picked picked;
  std::size_t next = random.below(count);
  while (true) {
    const std::size_t number = picked.which.size();
    picked.which.push_back(next);
    K.block(Rows::all(), std::vector<std::size_t>{next}, column.data(), 1);
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double distance = i == next ? 0 : std::max(0.0, own[i] + own[next] - 2 * column[i]);
      if (distance < nearest[i]) {
        nearest[i] = distance;
        owner[i] = number;
      }
      total += nearest[i];
    }
    if (picked.which.size() == std::min(m, count) || !(total > 0)) break;
    double at = random.uniform() * total;
    next = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (!(nearest[i] > 0)) continue;
      next = i;  // the last one of them where rounding leads past the end
      at -= nearest[i];
      if (at < 0) break;
    }
  }
  picked.D.assign(picked.which.size(), 0.0);
  for (const std::size_t c : owner) picked.D[c] += stands_for;
  return picked;
}

}  // namespace

std::vector<std::size_t> sample_of(std::size_t n, std::size_t count, std::uint64_t seed) {
  if (count >= n) return Rows::all().of(n);
  // Floyd: for j = n - count, …, n - 1 one of 0 … j, or j itself where that is there already.
  RandomNumbers random(seed);
  std::set<std::size_t> chosen;
  for (std::size_t j = n - count; j < n; ++j) {
    const std::size_t i = random.below(j + 1);
    if (!chosen.insert(i).second) chosen.insert(j);
  }
  return {chosen.begin(), chosen.end()};
}

Centres choose_centres(Crew& crew, const Kernel& k, const NystromOptions& options) {
  using Choice = NystromOptions::Choice;
  const std::size_t n = crew.rows();
  if (options.choice == Choice::given) {
    if (options.given.rows() == 0) throw Error("there is no centre among those given");
    const auto some = crew.fetch(sample_of(n, 1000, options.seed));
    double weight = 0;
    for (const double w : some.weights) weight += w / static_cast<double>(some.weights.size());
    const double each = weight * static_cast<double>(n) / static_cast<double>(options.given.rows());
    return {options.given, std::vector<double>(options.given.rows(), each), {}};
  }
  if (options.centres == 0) throw Error("at least one centre is needed");
  const bool all = options.centres >= n;
  const std::size_t count = all || options.choice == Choice::uniform
                                ? std::min(options.centres, n)
                                : std::min(n, candidates_per_centre * options.centres);
  const auto rows = sample_of(n, count, options.seed);
  auto chosen = crew.fetch(rows);
  const double stands_for = static_cast<double>(n) / static_cast<double>(count);
  Picked picked;
  if (all || options.choice == Choice::uniform) {
    picked.which = Rows::all().of(count);
    picked.D.assign(count, stands_for);
  } else if (options.choice == Choice::leverage) {
    // Without a λ, one that is small beside all of K.
    std::vector<double> own(chosen.points.rows());
    Gram(k, chosen.points, plain(options.gram)).diagonal(own);
    double mean = 0;
    for (const double v : own) mean += std::abs(v) / static_cast<double>(own.size());
    const double mu =
        options.lambda.value_or(1e-6 * static_cast<double>(n) * (mean > 0 ? mean : 1));
    picked = by_scores(leverages(k, chosen.points, n, mu, options), options.centres, stands_for,
                       options.seed);
  } else {
    picked = by_distance(k, chosen.points, options.centres, stands_for, options);
  }
  Centres centres;
  centres.points = chosen.points.select(picked.which);
  for (std::size_t j = 0; j < picked.which.size(); ++j) {
    centres.D.push_back(picked.D[j] * chosen.weights[picked.which[j]]);
    centres.rows.push_back(rows[picked.which[j]]);
  }
  return centres;
}

}  // namespace mercer::scale
