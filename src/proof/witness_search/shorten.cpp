#include "proof/witness_search/shorten.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "proof/candidates.hpp"

namespace mercer::proof {

namespace {

constexpr double per_point = 4;
constexpr double hopeless = std::numeric_limits<double>::infinity();
constexpr std::size_t few = 10;  // points that are moved one by one

// How negative aᵀKa is: relative to the diagonal, and whether doubles can tell.
struct Value {
  double strength = 0;
  bool certain = false;
};

Value value_of(const Eigen::MatrixXd& K, const Eigen::VectorXd& a) {
  const double total = a.dot(K * a);
  const double all = a.cwiseAbs().dot(K.cwiseAbs() * a.cwiseAbs());
  const double diagonal = a.cwiseAbs2().dot(K.diagonal());
  return {-total / diagonal, -total > 1e-13 * all};
}

double digits(double v) { return v < 9.5 ? 1 : std::floor(std::log10(v + 0.5)) + 1; }

Eigen::VectorXd rounded(const Eigen::VectorXd& v, double unit) {
  const double largest = v.cwiseAbs().maxCoeff();
  return (v * (unit / largest)).array().round();
}

// To so many significant digits, the smallest being around 1.
Eigen::VectorXd significant(const Eigen::VectorXd& v, int figures) {
  double smallest = hopeless;
  const double largest = v.cwiseAbs().maxCoeff();
  for (const double x : v)
    if (std::abs(x) > 1e-9 * largest) smallest = std::min(smallest, std::abs(x));
  Eigen::VectorXd result = v / smallest;
  for (double& x : result) {
    if (x == 0) continue;
    const double unit =
        std::max(1.0, std::pow(10, std::floor(std::log10(std::abs(x))) - figures + 1));
    x = std::round(x / unit) * unit;
  }
  return result;
}

double cost_of(const Eigen::MatrixXd& K, const Eigen::VectorXd& a) {
  const Value v = value_of(K, a);
  if (!v.certain) return hopeless;
  double cost = weakness(v.strength);
  for (const double x : a) {
    if (x == 0) {
      cost -= per_point;
    } else {
      cost += digits(std::abs(x)) + (x < 0 ? 0.5 : 0) + std::min(std::abs(x), 10.0) / 10;
    }
  }
  return cost;
}

// With like points out, by the rest of the cost.
struct Judged {
  Sample sample;
  ShortCoefficients coefficients;
  double cost = hopeless;
};

Judged judged(Search& search, Sample s) {
  Judged result{std::move(s), {}, hopeless};
  if (!result.sample.K.allFinite()) return result;
  const auto least = search.least(result.sample.K);
  if (!least || least->eigenvalue >= 0) return result;
  search.spend(static_cast<double>(50 * result.sample.points.size() * result.sample.points.size()));
  result.coefficients = short_coefficients(result.sample.K, least->coefficients);
  if (result.coefficients.a.empty()) return result;
  result.cost = result.coefficients.cost;
  for (const auto& p : result.sample.points) result.cost += per_point + length_of(p);
  return result;
}

Sample without(const Sample& s, std::size_t out) {
  Sample result;
  std::vector<Eigen::Index> kept;
  for (std::size_t i = 0; i < s.points.size(); ++i) {
    if (i == out) continue;
    kept.push_back(static_cast<Eigen::Index>(i));
    result.points.push_back(s.points[i]);
  }
  result.K = s.K(kept, kept);
  return result;
}

// Fewer points: one by one the least important, and the best of what is met on the way.
Judged fewer(Search& search, const Judged& given) {
  Judged best = given;
  Sample s = given.sample;
  while (s.points.size() > 1) {
    Sample next;
    double deepest = 0;
    if (s.points.size() <= few) {
      for (std::size_t i = 0; i < s.points.size(); ++i) {
        Sample rest = without(s, i);
        const auto least = search.least(rest.K);
        if (!least || least->eigenvalue >= deepest) continue;
        deepest = least->eigenvalue;
        next = std::move(rest);
      }
    } else {
      const auto least = search.least(s.K);
      if (!least) break;
      Eigen::Index out = 0;
      least->coefficients.cwiseProduct(s.K.diagonal().cwiseSqrt()).cwiseAbs().minCoeff(&out);
      next = without(s, static_cast<std::size_t>(out));
      const auto rest = search.least(next.K);
      if (rest) deepest = rest->eigenvalue;
    }
    if (deepest > -1e-13) break;
    s = std::move(next);
    Judged now = judged(search, s);
    if (now.cost < best.cost) best = std::move(now);
  }
  return best;
}

// Shorter numbers near v.
std::vector<Rational> near(const Rational& v) {
  std::vector<Rational> result{0, 1, -1, 2, -2};
  const double middle = v.to_double();
  if (!(std::abs(middle) < 1e9)) return result;
  for (const std::int64_t parts : {1, 2, 3, 4, 5, 8, 10}) {
    const auto below = static_cast<std::int64_t>(std::floor(middle * static_cast<double>(parts)));
    for (std::int64_t i = -1; i <= 2; ++i) result.emplace_back(below + i, parts);
  }
  if (std::abs(middle) >= 10 || std::abs(middle) < 0.1) {
    const int power_of_ten = static_cast<int>(std::floor(std::log10(std::abs(middle) + 1e-300)));
    if (power_of_ten > -12) {
      const Rational unit = *power(Rational(10), power_of_ten);
      const double lead = middle / std::pow(10, power_of_ten);
      for (const double digit : {std::floor(lead), std::ceil(lead)})
        result.push_back(Rational(static_cast<std::int64_t>(digit)) * unit);
    }
  }
  std::erase_if(result, [&](const Rational& r) { return length_of(r) >= length_of(v); });
  return result;
}

bool has(const std::vector<Point>& points, const Point& p) {
  return std::ranges::find(points, p) != points.end();
}

Judged shorter_coordinates(Search& search, Judged best) {
  for (int round = 0; round < 3; ++round) {
    bool better = false;
    for (std::size_t i = 0; i < best.sample.points.size(); ++i)
      for (std::size_t c = 0; c < best.sample.points[i].size(); ++c)
        for (const auto& v : near(best.sample.points[i][c])) {
          if (search.over()) return best;
          Point p = best.sample.points[i];
          p[c] = v;
          if (!contains(search.domain(), p) || has(best.sample.points, p)) continue;
          Sample moved = best.sample;
          search.replace(moved, i, std::move(p));
          Judged now = judged(search, std::move(moved));
          if (now.cost >= best.cost) continue;
          best = std::move(now);
          better = true;
        }
    if (!better) break;
  }
  return best;
}

// All coordinates multiplied by a number, or rounded to multiples of one.
Judged rescaled(Search& search, Judged best) {
  if (search.domain().kind() == Domain::Kind::sphere) return best;
  const Sample given = best.sample;
  const auto attempt = [&](const auto& change) {
    std::vector<Point> points;
    for (const auto& p : given.points) {
      Point q;
      for (const auto& v : p) q.push_back(change(v));
      if (!contains(search.domain(), q) || has(points, q)) return;
      points.push_back(std::move(q));
    }
    Sample s = search.sample(points);
    if (s.points.size() != points.size()) return;
    Judged now = judged(search, std::move(s));
    if (now.cost < best.cost) best = std::move(now);
  };
  for (const auto& factor :
       {Rational(10), Rational(100), Rational(1000), Rational(2), Rational(3), Rational(4),
        Rational(5), Rational(8), Rational(20), Rational(50), Rational(1, 2), Rational(1, 3),
        Rational(1, 4), Rational(1, 5), Rational(1, 10), Rational(1, 100)})
    attempt([&](const Rational& v) { return v * factor; });
  for (const std::int64_t parts : {1, 2, 4, 5, 10})
    attempt([&](const Rational& v) {
      const double scaled = v.to_double() * static_cast<double>(parts);
      if (!(std::abs(scaled) < 1e15)) return v;
      return Rational(static_cast<std::int64_t>(std::llround(scaled)), parts);
    });
  return best;
}

// The points of a stationary kernel moved to begin at 0.
Judged translated(Search& search, Judged best) {
  if (!search.stationary()) return best;
  std::vector<Point> points = best.sample.points;
  for (std::uint32_t c = 0; c < search.dimension(); ++c) {
    Rational low = points[0][c];
    for (const auto& p : points) low = std::min(low, p[c]);
    for (auto& p : points) p[c] = p[c] - low;
  }
  if (!std::ranges::all_of(points, [&](const Point& p) { return contains(search.domain(), p); }))
    return best;
  Judged now = best;
  now.sample.points = std::move(points);  // with the same Gram matrix
  return now;
}

}  // namespace

double length_of(const Rational& r) { return static_cast<double>(r.fraction_text().size()); }

double length_of(const Point& p) {
  double total = 0;
  for (const auto& v : p) total += length_of(v);
  return total;
}

double cost_of(const Witness& w) {
  double cost = 0;
  for (const auto& p : w.points) {
    cost += per_point;
    for (const auto& v : p) cost += static_cast<double>(v.size());
  }
  for (const auto& a : w.coefficients) cost += static_cast<double>(a.size());
  return cost;
}

double weakness(double strength) { return 2 * std::max(0.0, -std::log10(strength) - 1.5); }

ShortCoefficients short_coefficients(const Eigen::MatrixXd& K, const Eigen::VectorXd& v) {
  Eigen::VectorXd best;
  double cost = hopeless;
  const auto attempt = [&](const Eigen::VectorXd& a) {
    if (!a.allFinite() || a.cwiseAbs().maxCoeff() > 1e15) return;
    const double now = cost_of(K, a);
    if (now >= cost) return;
    cost = now;
    best = a;
  };
  for (const double unit : {1.0,  2.0,  3.0,  4.0,  5.0,   6.0,   7.0, 8.0, 9.0, 10.0, 12.0,
                            15.0, 20.0, 30.0, 50.0, 100.0, 300.0, 1e3, 1e4, 1e6, 1e9,  1e12})
    attempt(rounded(v, unit));
  for (const int figures : {1, 2, 3, 5}) attempt(significant(v, figures));
  attempt(v.cwiseSign());
  if (cost == hopeless) return {};
  // One at a time up or down.
  if (best.size() <= static_cast<Eigen::Index>(few) && best.cwiseAbs().maxCoeff() <= 100)
    for (int round = 0; round < 5; ++round) {
      bool better = false;
      for (Eigen::Index i = 0; i < best.size(); ++i)
        for (const double to : {best(i) - 1, best(i) + 1}) {
          Eigen::VectorXd a = best;
          a(i) = to;
          const double before = cost;
          if (to != 0) attempt(a);
          better = better || cost < before;
        }
      if (!better) break;
    }
  ShortCoefficients result;
  result.cost = cost;
  std::int64_t common = 0;
  for (const double x : best) common = std::gcd(common, static_cast<std::int64_t>(x));
  if (common == 0) return {};
  for (const double x : best) result.a.emplace_back(static_cast<std::int64_t>(x) / common);
  return result;
}

std::optional<Witness> shortened(Search& search, Sample sample) {
  // Where doubles cannot tell, many digits may.
  const auto exact_attempt = [&]() -> std::optional<Witness> {
    const auto least = search.least(sample.K);
    if (!least) return std::nullopt;
    for (const double unit : {10.0, 1e3, 1e6, 1e9, 1e12}) {
      Combination c{sample.points, {}};
      for (const double x : rounded(least->coefficients, unit))
        c.coefficients.emplace_back(static_cast<std::int64_t>(x));
      if (auto w = search.accept(std::move(c))) return w;
    }
    return std::nullopt;
  };
  Judged best = judged(search, sample);
  if (best.cost == hopeless) return exact_attempt();
  // An eigenvalue this small may be rounding in the values: before work is put into it, it has to
  // stand the test.
  constexpr double doubtful = 1e-7;
  std::optional<Witness> fallback;
  const auto least = search.least(sample.K);
  if (least && least->eigenvalue > -doubtful) {
    fallback = search.accept({sample.points, best.coefficients.a});
    if (!fallback) fallback = exact_attempt();
    if (!fallback) return std::nullopt;
  }
  best = fewer(search, best);
  if (best.sample.points.size() <= few) {
    best = rescaled(search, std::move(best));
    best = shorter_coordinates(search, std::move(best));
    best = fewer(search, best);
  }
  best = translated(search, std::move(best));
  if (auto w = search.accept({best.sample.points, best.coefficients.a})) return w;
  return fallback ? fallback : exact_attempt();
}

}  // namespace mercer::proof
