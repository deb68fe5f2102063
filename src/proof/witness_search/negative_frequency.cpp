#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernel/domain_body.hpp"
#include "proof/candidates.hpp"
#include "proof/witness_search/strategies.hpp"

namespace mercer::proof {

namespace {

constexpr std::size_t longest = 2000;

struct Wave {
  std::vector<double> a;
  double strength = 0;
};

// -Σ a_i a_j h(|i-j|) / Σ a_i² h(0), and whether doubles can tell.
double strength_of(const std::vector<double>& h, const std::vector<double>& a) {
  double total = 0;
  double all = 0;
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    double overlap = 0;
    for (std::size_t i = k; i < a.size(); ++i) overlap += a[i] * a[i - k];
    if (k == 0) squares = overlap;
    total += (k == 0 ? 1 : 2) * overlap * h[k];
    all += std::abs(overlap * h[k]);
  }
  if (squares == 0 || -total < 1e-12 * all) return 0;
  return -total / (squares * h[0]);
}

std::vector<double> wave(double phase, std::size_t n, bool odd) {
  std::vector<double> a;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) - (static_cast<double>(n) - 1) / 2;
    const double window =
        std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n));
    a.push_back(window * (odd ? std::sin(phase * t) : std::cos(phase * t)));
  }
  return a;
}

std::vector<double> whole(const std::vector<double>& a, double unit) {
  double largest = 0;
  for (const double v : a) largest = std::max(largest, std::abs(v));
  std::vector<double> result;
  result.reserve(a.size());
  for (const double v : a) result.push_back(std::round(v / largest * unit));
  return result;
}

}  // namespace

std::optional<Witness> negative_frequency(Search& search) {
  const auto& body = search.domain().body();
  const bool lattice = body.kind == Domain::Kind::integers || body.kind == Domain::Kind::naturals;
  const bool line =
      body.kind == Domain::Kind::reals || (body.kind == Domain::Kind::interval && !body.high);
  if (search.dimension() != 1 || !search.stationary() || !(lattice || line)) return std::nullopt;
  search.allow(400e6);
  const Rational first = body.low ? *body.low + Rational(body.low_open ? 1 : 0)
                         : body.kind == Domain::Kind::naturals ? Rational(1)
                                                               : Rational(0);
  std::size_t fewest = longest + 1;
  Combination best;
  for (const auto& step :
       {Rational(1), Rational(1, 2), Rational(2), Rational(1, 4), Rational(3, 4), Rational(3, 2),
        Rational(1, 8), Rational(1, 10), Rational(3), Rational(1, 20), Rational(5, 8)}) {
    if (lattice && !step.is_integer()) continue;
    if (search.over()) break;
    std::vector<double> h;
    const std::vector<double> origin{0};
    for (std::size_t k = 0; k <= longest; ++k) {
      const std::vector<double> at{(step * Rational(static_cast<std::int64_t>(k))).to_double()};
      h.push_back(search.value(at, origin));
      if (!std::isfinite(h.back())) break;
    }
    if (h.size() <= longest || h[0] <= 0) continue;
    // The spectrum as a wave in the longest window sees it.
    std::vector<double> seen(longest);
    for (std::size_t k = 0; k < longest; ++k) {
      const double u = static_cast<double>(k) / longest;
      seen[k] = (k == 0 ? 1 : 2) * h[k] *
                ((1 - u) * std::cos(std::numbers::pi * u) +
                 std::sin(std::numbers::pi * u) / std::numbers::pi);
    }
    constexpr int frequencies = 400;
    double lowest = 0;
    double phase = 0;
    for (int f = 0; f <= frequencies; ++f) {
      const double w = std::numbers::pi * f / frequencies;
      // cos(kw) by its recurrence
      double before = 1;
      double now = std::cos(w);
      const double twice = 2 * now;
      double total = seen[0];
      for (std::size_t k = 1; k < longest; ++k) {
        total += seen[k] * now;
        const double next = twice * now - before;
        before = now;
        now = next;
      }
      if (total >= lowest) continue;
      lowest = total;
      phase = w;
    }
    search.spend(frequencies * longest * 2.0);
    if (lowest > -1e-9 * h[0]) continue;
    for (const std::size_t n :
         {6U,   8U,   10U,  12U,  16U,  20U,  24U,  32U,  40U,  48U,   64U,   80U,   100U,
          128U, 160U, 200U, 256U, 320U, 400U, 512U, 640U, 800U, 1000U, 1200U, 1500U, 2000U}) {
      if (n >= fewest) break;
      search.spend(static_cast<double>(n * n));
      bool done = false;
      for (const bool odd : {false, true}) {
        const auto a = wave(phase, n, odd);
        const double strength = strength_of(h, a);
        if (!(strength > 0)) continue;
        for (const double unit :
             {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 20.0, 50.0, 100.0, 1000.0}) {
          const auto rounded = whole(a, unit);
          if (!(strength_of(h, rounded) > strength / 4)) continue;
          fewest = n;
          best = {};
          for (std::size_t i = 0, zeros = 0; i < n; ++i) {
            if (best.points.empty() && rounded[i] == 0) {
              ++zeros;
              continue;
            }
            best.points.push_back({first + step * Rational(static_cast<std::int64_t>(i - zeros))});
            best.coefficients.emplace_back(static_cast<std::int64_t>(rounded[i]));
          }
          done = true;
          break;
        }
        if (done) break;
      }
      if (done) break;
    }
  }
  if (best.points.empty()) return std::nullopt;
  return search.accept(std::move(best));
}

}  // namespace mercer::proof
