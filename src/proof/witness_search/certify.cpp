#include "proof/witness_search/certify.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <mercer/error.hpp>
#include <unordered_map>

#include "kernel/form.hpp"
#include "proof/candidates.hpp"

namespace mercer::proof {

namespace {

struct PointHash {
  std::size_t operator()(const Point& p) const { return boost::hash_range(p.begin(), p.end()); }
};

Point difference(const Point& x, const Point& z) {
  Point result;
  for (std::size_t i = 0; i < x.size(); ++i) result.push_back(x[i] - z[i]);
  return result;
}

Rational inner_product(const Point& x, const Point& z) {
  Rational total;
  for (std::size_t i = 0; i < x.size(); ++i) total += x[i] * z[i];
  return total;
}

Point negated(Point p) {
  for (auto& v : p) v = -v;
  return p;
}

}  // namespace

std::vector<std::string> texts(const Point& p) {
  std::vector<std::string> result;
  for (const auto& v : p) result.push_back(v.fraction_text());
  return result;
}

Point from_texts(const std::vector<std::string>& texts) {
  Point p;
  for (const auto& text : texts) {
    const auto bar = std::min(text.find('/'), text.size());
    const auto up = Rational::from_decimal(text.substr(0, bar));
    const auto down =
        bar < text.size() ? Rational::from_decimal(text.substr(bar + 1)) : Rational(1);
    if (!up || !down || down->is_zero()) throw Error("not a fraction: " + text);
    p.push_back(*up / *down);
  }
  return p;
}

std::vector<double> doubles(const Point& p) {
  std::vector<double> result;
  for (const auto& v : p) result.push_back(v.to_double());
  return result;
}

Certifier::Certifier(Expr e, Domain domain, std::uint32_t d)
    : e_(std::move(e)),
      domain_(std::move(domain)),
      d_(d),
      symmetric_(algebra::is_symmetric(e_)),
      sees_(!symmetric_                  ? Sees::points
            : algebra::is_isotropic(e_)  ? Sees::distance
            : algebra::is_stationary(e_) ? Sees::difference
            : !e_->as_number && algebra::is_function_of_dot(e_)
                ? Sees::inner_product  // x^0.5*z^0.5 of numbers is more than a function of x*z
                : Sees::points) {}

std::vector<Certifier::Term> Certifier::terms(const Combination& c) const {
  std::vector<Term> result;
  std::unordered_map<Point, std::size_t, PointHash> known;
  const auto add = [&](Point key, const Rational& weight, Point x, Point z) {
    const auto [at, fresh] = known.try_emplace(std::move(key), result.size());
    if (fresh) {
      result.push_back({weight, std::move(x), std::move(z)});
    } else {
      result[at->second].weight += weight;
    }
  };
  const std::size_t n = c.points.size();
  const Point origin(d_);
  if (auto along = along_line(c)) return *std::move(along);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < (symmetric_ ? i + 1 : n); ++j) {
      const Rational twice = symmetric_ && i != j ? 2 : 1;
      const Rational weight = twice * c.coefficients[i] * c.coefficients[j];
      const Point& x = c.points[i];
      const Point& z = c.points[j];
      switch (sees_) {
        case Sees::points:
          result.push_back({weight, x, z});
          break;
        case Sees::inner_product:
          add({inner_product(x, z)}, weight, x, z);
          break;
        case Sees::difference:
        case Sees::distance: {
          Point by = difference(x, z);
          Point back = negated(by);
          if (back > by) by = std::move(back);
          Point key = sees_ == Sees::distance ? Point{inner_product(by, by)} : by;
          add(std::move(key), weight, std::move(by), origin);
          break;
        }
      }
    }
  return result;
}

// Many equally spaced numbers with small whole coefficients: for each difference one sum.
std::optional<std::vector<Certifier::Term>> Certifier::along_line(const Combination& c) const {
  constexpr std::size_t many = 50;
  const std::size_t n = c.points.size();
  if (d_ != 1 || !symmetric_ || !stationary() || n < many) return std::nullopt;
  const Rational step = c.points[1][0] - c.points[0][0];
  std::vector<std::int64_t> a;
  constexpr std::int64_t largest = 1'000'000;
  for (std::size_t i = 0; i < n; ++i) {
    const auto whole = c.coefficients[i].to_int();
    if (!whole || *whole > largest || *whole < -largest) return std::nullopt;
    if (i > 0 && c.points[i][0] - c.points[i - 1][0] != step) return std::nullopt;
    a.push_back(*whole);
  }
  std::vector<Term> result;
  for (std::size_t k = 0; k < n; ++k) {
    std::int64_t sum = 0;
    for (std::size_t i = k; i < n; ++i) sum += a[i] * a[i - k];
    const Rational weight = Rational(k == 0 ? 1 : 2) * Rational(sum);
    result.push_back({weight, {step * Rational(static_cast<std::int64_t>(k))}, {Rational()}});
  }
  return result;
}

std::optional<Witness> Certifier::operator()(const Combination& given, long most_bits) const {
  Combination c;
  for (std::size_t i = 0; i < given.points.size(); ++i) {
    if (given.coefficients[i].is_zero()) continue;
    if (!contains(domain_, given.points[i])) return std::nullopt;
    c.points.push_back(given.points[i]);
    c.coefficients.push_back(given.coefficients[i]);
  }
  if (c.points.empty()) return std::nullopt;
  Witness w;
  w.dimension = d_;
  for (const auto& p : c.points) w.points.push_back(texts(p));
  w.coefficients = texts(c.coefficients);

  try {
    const auto all = terms(c);
    // Exactly, where all values are rational.
    std::optional<Rational> total = Rational();
    for (const auto& term : all) {
      const auto k = exact_value(e_, term.x, term.z);
      if (k) {
        *total += term.weight * *k;
      } else {
        total.reset();
        break;
      }
    }
    if (total) {
      if (total->sign() >= 0) return std::nullopt;
      w.exact = true;
      w.value = w.bound = total->fraction_text();
      return w;
    }
    for (const long precision : {128L, 256L, 640L}) {
      if (precision > most_bits) break;
      Ball sum(Rational(), precision);
      bool good = true;
      for (const auto& term : all) {
        const auto k = ball_value(e_, term.x, term.z, precision);
        good = k.has_value();
        if (!good) break;
        sum = sum + Ball(term.weight, precision) * *k;
      }
      if (!good) continue;
      if (sum.is_negative()) {
        w.value = sum.text();
        w.bound = sum.upper_bound();
        return w;
      }
      if (!sum.is_finite() || sum.is_positive()) return std::nullopt;
    }
  } catch (const Error&) {
    // numbers too large for exact arithmetic
  }
  return std::nullopt;
}

}  // namespace mercer::proof
