#include <cmath>

#include "kernel/domain_body.hpp"
#include "proof/candidates.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

Point along_axis(const Search& search, const Rational& v) {
  Point p(search.dimension());
  p[0] = v;
  return p;
}

// All of an interval of numbers, by equally spaced points with a = 1: where the mean of k is
// negative.
std::optional<Witness> whole_interval(Search& search) {
  const auto& body = search.domain().body();
  for (const std::int64_t n : {5, 10, 20, 50, 100, 200, 400, 600, 1000}) {
    for (const bool closed : {false, true}) {
      // n points with gaps of 1/n of the length, as on a circle; or with both ends.
      const Rational step = (*body.high - *body.low) / Rational(closed ? n - 1 : n);
      const Rational first = *body.low + (closed ? Rational(0) : step / Rational(2));
      double total = 0;
      double all = 0;
      const std::vector<double> at_first{first.to_double()};
      for (std::int64_t k = 0; k < n; ++k) {
        const std::vector<double> at{(first + step * Rational(k)).to_double()};
        const double part =
            static_cast<double>((k == 0 ? 1 : 2) * (n - k)) * search.value(at, at_first);
        total += part;
        all += std::abs(part);
      }
      if (search.over()) return std::nullopt;
      if (!(total < -1e-13 * all)) continue;
      Combination c;
      for (std::int64_t i = 0; i < n; ++i) {
        c.points.push_back({first + step * Rational(i)});
        c.coefficients.emplace_back(1);
      }
      if (auto w = search.accept(std::move(c))) return w;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Witness> far_points(Search& search) {
  search.allow(100e6);
  const auto& body = search.domain().body();
  if (search.stationary() && search.dimension() == 1 && body.kind == Domain::Kind::interval &&
      body.low && body.high)
    return whole_interval(search);
  const Rational first = body.kind == Domain::Kind::naturals ? 1 : 0;
  const std::int64_t most = search.dimension() == 1 ? 1200 : 60;
  if (!search.stationary() || !contains(search.domain(), along_axis(search, first)) || body.high ||
      body.kind == Domain::Kind::ball || body.kind == Domain::Kind::sphere ||
      body.kind == Domain::Kind::finite)
    return std::nullopt;
  const auto origin = doubles(along_axis(search, 0));
  const double at_zero = search.value(origin, origin);
  std::int64_t fewest = most + 1;
  Rational best;
  for (const std::int64_t step : {1, 2, 3, 5, 10, 20, 50, 100, 1000, 10'000, 1'000'000}) {
    // n points: n h(0) + 2 Σ (n-k) h(k step)
    double total = at_zero;
    double row = at_zero;
    for (std::int64_t n = 2; n < fewest && !search.over(); ++n) {
      const auto at = doubles(along_axis(search, Rational(step) * Rational(n - 1)));
      row += 2 * search.value(at, origin);
      total += row;
      if (!(total == total)) break;
      if (total >= -1e-9 * static_cast<double>(n) * at_zero) continue;
      fewest = n;
      best = step;
    }
  }
  if (fewest > most) return std::nullopt;
  Combination c;
  for (std::int64_t i = 0; i < fewest; ++i) {
    c.points.push_back(along_axis(search, first + best * Rational(i)));
    c.coefficients.emplace_back(1);
  }
  return search.accept(std::move(c));
}

}  // namespace mercer::proof
