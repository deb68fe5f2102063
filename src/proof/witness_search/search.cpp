#include "proof/witness_search/search.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <mercer/error.hpp>
#include <numeric>

#include "kernel/evaluate.hpp"
#include "proof/candidates.hpp"
#include "proof/witness_search/shorten.hpp"

namespace mercer::proof {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Sample without(const Sample& s, const std::vector<bool>& out) {
  Sample result;
  std::vector<Eigen::Index> kept;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    if (out[i]) continue;
    kept.push_back(static_cast<Eigen::Index>(i));
    result.points.push_back(s.points[i]);
  }
  result.K = s.K(kept, kept);
  return result;
}

}  // namespace

Search::Search(Expr e, Domain domain, std::uint32_t d, Clock::time_point deadline)
    : e_(std::move(e)),
      domain_(std::move(domain)),
      d_(d),
      deadline_(deadline),
      certify_(e_, domain_, d_),
      cost_(100 + 15.0 * e_->size * (e_->as_number ? 1 : d_)) {}

double Search::value(std::span<const double> x, std::span<const double> z) {
  left_ -= cost_;
  try {
    return algebra::evaluate(e_, x, z);
  } catch (const Error&) {
    left_ -= 20 * cost_;
    return nothing;
  }
}

Sample Search::sample(const std::vector<Point>& points) {
  const std::size_t n = points.size();
  std::vector<std::vector<double>> at;
  at.reserve(n);
  for (const auto& p : points) at.push_back(doubles(p));
  Sample s{points, Eigen::MatrixXd(n, n)};
  std::vector<bool> out(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    s.K(row, row) = value(at[i], at[i]);
    out[i] = std::isnan(s.K(row, row));
  }
  // On a lattice the values of a stationary kernel repeat.
  std::map<std::vector<double>, double> known;
  const bool repeats = stationary() && n > 8;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; !out[i] && j < i; ++j) {
      if (out[j]) continue;
      double k = 0;
      if (repeats) {
        std::vector<double> by(d_);
        for (std::size_t c = 0; c < d_; ++c) by[c] = std::abs(at[i][c] - at[j][c]);
        // Coordinates of both signs are told apart, for kernels that see them.
        for (std::size_t c = 0, sign = 0; c < d_; ++c) {
          const double step = at[i][c] - at[j][c];
          if (step == 0) continue;
          if (sign == 0) sign = step > 0 ? 1 : 2;
          by[c] = sign == 1 ? step : -step;
        }
        const auto [place, fresh] = known.try_emplace(std::move(by), 0.0);
        if (fresh) place->second = value(at[i], at[j]);
        k = place->second;
      } else {
        k = value(at[i], at[j]);
      }
      const auto row = static_cast<Eigen::Index>(i);
      const auto column = static_cast<Eigen::Index>(j);
      s.K(row, column) = s.K(column, row) = k;
      if (std::isnan(k)) out[i] = true;
    }
  }
  if (std::ranges::find(out, true) == out.end()) return s;
  return without(s, out);
}

void Search::replace(Sample& s, std::size_t i, Point p) {
  const auto at = doubles(p);
  s.points[i] = std::move(p);
  const auto row = static_cast<Eigen::Index>(i);
  for (std::size_t j = 0; j < s.points.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    s.K(row, column) = s.K(column, row) = value(at, doubles(s.points[j]));
  }
}

std::optional<Least> Search::least(const Eigen::MatrixXd& K) {
  const Eigen::Index n = K.rows();
  if (n == 0 || !(K.diagonal().minCoeff() > 0)) return std::nullopt;
  const Eigen::VectorXd scale = K.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd S = scale.asDiagonal() * K * scale.asDiagonal();
  if (!S.allFinite()) return std::nullopt;
  spend(2000 + 10 * static_cast<double>(n * n * n));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(S);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return Least{solver.eigenvalues()(0), scale.cwiseProduct(solver.eigenvectors().col(0))};
}

// Negative values on the diagonal, and zeros on it beside others.
std::optional<Witness> Search::degenerate(const Sample& s) {
  int failures = 0;  // values that are nothing but rounding fail time after time
  for (Eigen::Index i = 0; i < s.K.rows() && failures < 3; ++i)
    if (s.K(i, i) < 0) {
      if (auto w = accept({{s.points[static_cast<std::size_t>(i)]}, {1}})) return w;
      ++failures;
    }
  for (Eigen::Index i = 0; i < s.K.rows(); ++i) {
    if (s.K(i, i) > 0) continue;
    for (Eigen::Index j = 0; j < s.K.rows() && failures < 6; ++j) {
      const double off = s.K(i, j);
      if (i == j || off == 0) continue;
      // t² 0 + 2 t k(x,z) + k(z,z)
      const double needed = std::floor(std::abs(s.K(j, j) / (2 * off))) + 1;
      if (!(needed < 1e9)) continue;
      const auto t = static_cast<std::int64_t>(needed);
      if (auto w = accept(
              {{s.points[static_cast<std::size_t>(i)], s.points[static_cast<std::size_t>(j)]},
               {off > 0 ? -t : t, 1}}))
        return w;
      ++failures;
    }
  }
  return std::nullopt;
}

std::optional<Witness> Search::on(const std::vector<Point>& points) { return on(sample(points)); }

std::optional<Witness> Search::on(Sample s) {
  if (s.points.empty()) return std::nullopt;
  if (!(s.K.diagonal().minCoeff() > 0)) {
    if (auto w = degenerate(s)) return w;
    std::vector<bool> out;
    for (Eigen::Index i = 0; i < s.K.rows(); ++i) out.push_back(!(s.K(i, i) > 0));
    s = without(s, out);
    if (s.points.empty()) return std::nullopt;
  }
  const auto found = least(s.K);
  if (!found) return std::nullopt;
  const double noise = 2e-14 * static_cast<double>(s.points.size());
  if (found->eigenvalue > -std::max(noise, rounding_)) {
    const double seen = std::abs(found->eigenvalue) < noise ? 0 : found->eigenvalue;
    if (found->eigenvalue > -noise && (!smallest_ || seen < *smallest_)) smallest_ = seen;
    return std::nullopt;
  }
  if (auto w = shortened(*this, std::move(s))) return w;
  rounding_ = std::max(rounding_, -2 * found->eigenvalue);
  return std::nullopt;
}

std::optional<Witness> Search::accept(Combination c, long most_bits) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < c.points.size(); ++i)
    if (!c.coefficients[i].is_zero()) order.push_back(i);
  if (order.empty()) return std::nullopt;
  std::ranges::sort(order, [&](auto i, auto j) { return c.points[i] < c.points[j]; });
  const bool flip = c.coefficients[order[0]].sign() < 0;
  Combination sorted;
  for (const auto i : order) {
    sorted.points.push_back(std::move(c.points[i]));
    sorted.coefficients.push_back(flip ? -c.coefficients[i] : c.coefficients[i]);
  }
  auto w = certify_(sorted, most_bits);
  if (!w) spend(10 * cost_ * static_cast<double>(order.size() * (order.size() + 1)));
  return w;
}

}  // namespace mercer::proof
