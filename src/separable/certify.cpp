#include "separable/certify.hpp"

#include <cmath>
#include <limits>
#include <mercer/error.hpp>

namespace mercer::separability {

namespace {

// The sign of f(x_row) from doubles, where rounding cannot change it. Each h and c is the double
// nearest to its exact value, products and sums round once each: the error is below
// (m + 4) ε Σ|c h|, as long as nothing was lost at the ends of the range of doubles. 0 where that
// does not settle it.
int sign_by_filter(const Functions& h, const std::vector<double>& c, double b, std::size_t row) {
  constexpr double small = 1e-180;
  constexpr double large = 1e100;
  double total = b;
  double size = std::abs(b);
  for (std::size_t j = 0; j < c.size(); ++j) {
    const double value = h.value(row, j);
    if (std::abs(c[j]) > large || (c[j] != 0 && std::abs(c[j]) < small) ||
        (value != 0 && std::abs(value) < small))
      return 0;
    total += c[j] * value;
    size += std::abs(c[j] * value);
  }
  const double error =
      (static_cast<double>(c.size()) + 4) * std::numeric_limits<double>::epsilon() * size;
  if (!(size > small) || !(std::abs(total) > 2 * error) || !std::isfinite(size)) return 0;
  return total > 0 ? 1 : -1;
}

std::optional<int> exact_sign(const Functions& h, const LinearRule& rule, std::size_t row) {
  try {
    Rational total = rule.b;
    for (std::size_t j = 0; j < rule.c.size(); ++j) {
      if (rule.c[j].is_zero()) continue;
      const auto value = h.exact(row, j);
      if (!value) return std::nullopt;
      total += rule.c[j] * *value;
    }
    return total.sign();
  } catch (const Error&) {
    return std::nullopt;  // numbers too large
  }
}

int ball_sign(const Functions& h, const LinearRule& rule, std::size_t row) {
  for (const long precision : {64L, 256L, 1024L, 4096L}) {
    Ball total(rule.b, precision);
    bool defined = true;
    for (std::size_t j = 0; defined && j < rule.c.size(); ++j) {
      if (rule.c[j].is_zero()) continue;
      const auto value = h.ball(row, j, precision);
      defined = value.has_value();
      if (defined) total = total + Ball(rule.c[j], precision) * *value;
    }
    if (!defined) continue;
    if (total.is_positive()) return 1;
    if (total.is_negative()) return -1;
  }
  return 0;
}

// c as a multiple of 10^-places; exactly c where that would be too fine.
Rational rounded(double c, int places) {
  const double steps = std::round(c * std::pow(10.0, places));
  constexpr double most = 9e15;
  if (!(std::abs(steps) < most)) return Rational::exactly(c);
  return Rational(static_cast<std::int64_t>(steps)) * *power(Rational(10), -places);
}

struct Spread {
  double lowest_positive = std::numeric_limits<double>::infinity();
  double highest_negative = -std::numeric_limits<double>::infinity();
};

Spread spread(const Functions& h, const std::vector<double>& c, std::span<const int> y) {
  Spread result;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double f = 0;
    for (std::size_t j = 0; j < c.size(); ++j) f += c[j] * h.value(i, j);
    if (y[i] > 0) {
      result.lowest_positive = std::min(result.lowest_positive, f);
    } else {
      result.highest_negative = std::max(result.highest_negative, f);
    }
  }
  return result;
}

// Half the width of the gap between the classes, and its middle.
double half_gap(const Spread& s, bool offset) {
  return offset ? (s.lowest_positive - s.highest_negative) / 2
                : std::min(s.lowest_positive, -s.highest_negative);
}

double middle(const Spread& s, bool offset) {
  return offset ? (s.lowest_positive + s.highest_negative) / 2 : 0;
}

// min y_i f(x_i) for f = Σ c_j h_j + b
double least_value(const Spread& s, double b) {
  return std::min(s.lowest_positive + b, -(s.highest_negative + b));
}

}  // namespace

std::optional<bool> separates(const Functions& h, const LinearRule& rule, std::span<const int> y,
                              Clock::time_point deadline) {
  const bool exact = h.rational();
  std::vector<double> c;
  for (const auto& r : rule.c) c.push_back(r.to_double());
  const double b = rule.b.to_double();
  bool exactly = exact;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (Clock::now() > deadline) return std::nullopt;
    int sign = exact ? sign_by_filter(h, c, b, i) : 0;
    if (sign == 0) {
      const auto settled = exact_sign(h, rule, i);
      if (!settled) exactly = false;
      sign = settled ? *settled : ball_sign(h, rule, i);
    }
    if (sign != y[i]) return std::nullopt;
  }
  return exactly;
}

std::optional<Certified> short_rule(const Functions& h, std::vector<double> c,
                                    std::span<const int> y, bool offset,
                                    Clock::time_point deadline) {
  const double gap = half_gap(spread(h, c, y), offset);
  const double length = h.norm(c);
  if (!(gap > 0) || !(length > 0) || !std::isfinite(gap / length)) return std::nullopt;
  const double best = gap / length;
  std::vector<int> magnitude(c.size());
  for (std::size_t j = 0; j < c.size(); ++j) {
    c[j] /= gap;
    double largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(h.value(i, j)));
    magnitude[j] = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  }
  constexpr int most_places = 15;
  for (int places = 0; places <= most_places; ++places) {
    Certified result;
    std::vector<double> shorter;
    for (std::size_t j = 0; j < c.size(); ++j) {
      result.rule.c.push_back(rounded(c[j], places + magnitude[j]));
      shorter.push_back(result.rule.c.back().to_double());
    }
    const Spread s = spread(h, shorter, y);
    if (offset) result.rule.b = rounded(-middle(s, offset), places);
    result.margin = least_value(s, result.rule.b.to_double()) / h.norm(shorter);
    constexpr double kept = 0.999;
    if (!(result.margin >= kept * best) && places < most_places) continue;
    const auto proved = separates(h, result.rule, y, deadline);
    if (!proved) continue;
    result.exact = *proved;
    return result;
  }
  return std::nullopt;
}

namespace {

// Σ c_j h_j in every row, exactly.
std::optional<std::vector<Rational>> exact_values(const Functions& h,
                                                  const std::vector<Rational>& c, std::size_t rows,
                                                  Clock::time_point deadline) {
  std::vector<Rational> result(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (Clock::now() > deadline) return std::nullopt;
    for (std::size_t j = 0; j < c.size(); ++j) {
      const auto value = h.exact(i, j);
      if (!value) return std::nullopt;
      result[i] += c[j] * *value;
    }
  }
  return result;
}

}  // namespace

std::optional<Certified> long_rule(const Functions& h, const std::vector<Big>& c,
                                   std::span<const int> y, bool offset,
                                   Clock::time_point deadline) {
  for (const int digits : {20, 40, 80, 160, 320, 640}) {
    try {
      Certified result;
      for (const auto& v : c) result.rule.c.push_back(v.rounded(digits));
      const auto f = exact_values(h, result.rule.c, y.size(), deadline);
      if (!f) return std::nullopt;
      std::optional<Rational> low;   // of the positive class
      std::optional<Rational> high;  // of the negative one
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (y[i] > 0 && (!low || (*f)[i] < *low)) low = (*f)[i];
        if (y[i] < 0 && (!high || *high < (*f)[i])) high = (*f)[i];
      }
      const Rational middle = (*low + *high) / Rational(2);
      if (offset) result.rule.b = -middle;
      const Rational least = std::min(*low + result.rule.b, -(*high + result.rule.b));
      if (least.sign() <= 0) continue;
      std::vector<double> w;
      for (const auto& r : result.rule.c) w.push_back(r.to_double());
      result.margin = least.to_double() / h.norm(w);
      result.exact = true;
      return result;
    } catch (const Error&) {
      return std::nullopt;  // numbers too large
    }
  }
  return std::nullopt;
}

}  // namespace mercer::separability
