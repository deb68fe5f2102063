#include "feature/check.hpp"

#include <algorithm>
#include <cmath>
#include <mercer/error.hpp>

#include "kernel/evaluate.hpp"
#include "kernel/polynomial.hpp"
#include "kernel/transform.hpp"

namespace mercer::feature {

namespace {

using Check = Features::Check;

// Both written out as polynomials; nullopt where one is none, or too large.
std::optional<bool> agree_exactly(const Expr& k, const Expr& of_map, std::uint32_t d) {
  constexpr std::size_t most = 20'000;
  const auto a = algebra::expand_polynomial(k, d, most);
  const auto b = a ? algebra::expand_polynomial(of_map, d, most) : std::nullopt;
  if (!b) return std::nullopt;
  return *a == *b;
}

// A Weyl sequence: spread evenly, the same on every machine.
class Points {
 public:
  explicit Points(std::uint32_t d) : d_(d) {}

  std::vector<double> next(double low, double high) {
    std::vector<double> point(d_);
    for (auto& v : point) {
      at_ = std::fmod(at_ + 0.6180339887498949, 1.0);
      v = low + (high - low) * at_;
    }
    return point;
  }

 private:
  std::uint32_t d_;
  double at_ = 0.25;
};

double dot(std::span<const Expr> functions, std::span<const double> x, std::span<const double> z) {
  double total = 0;
  for (const auto& f : functions) {
    const double at_x = algebra::evaluate(f, x, x);
    total += at_x * algebra::evaluate(f, z, z);
  }
  return total;
}

}  // namespace

Expr multiplied(std::span<const Expr> functions) {
  std::vector<algebra::Term> terms;
  for (const auto& f : functions)
    terms.push_back({1, algebra::multiply(f, algebra::swap_sides(f))});
  return algebra::sum(terms);
}

Check checked(const Expr& k, std::uint32_t d, std::span<const Expr> functions, const Expr& tail) {
  Check check;
  constexpr std::size_t most_functions = 20'000;
  constexpr std::uint32_t most_coordinates = 10'000;
  if (functions.size() > most_functions || d > most_coordinates) return check;
  if (!tail) {
    try {
      const auto exactly = agree_exactly(k, multiplied(functions), d);
      if (exactly == false) throw std::logic_error("a feature map does not give its kernel back");
      if (exactly) {
        check.kind = Check::Kind::exact;
        return check;
      }
    } catch (const Error&) {
      // beyond a bound on sizes
    }
  }
  // Of the order of 1/√d, so that lengths stay below 1 and series converge.
  const double size = 0.9 / std::sqrt(static_cast<double>(d));
  Points points(d);
  const std::size_t tries = functions.size() > 1000 ? 4 : 20;
  for (std::size_t i = 0; i < tries; ++i) {
    const bool positive = i % 2 == 0;
    const auto x = points.next(positive ? 0.1 * size : -size, size);
    const auto z = points.next(positive ? 0.1 * size : -size, size);
    try {
      const double value = algebra::evaluate(k, x, z);
      const double scale = std::sqrt(algebra::evaluate(k, x, x) * algebra::evaluate(k, z, z));
      const double allowed = tail ? algebra::evaluate(tail, x, z) : 0;
      const double difference =
          std::max(0.0, std::abs(dot(functions, x, z) - value) - allowed) / (scale > 0 ? scale : 1);
      check.difference = std::max(check.difference, difference);
      ++check.points;
    } catch (const Error&) {
      continue;  // undefined there
    }
  }
  if (check.points > 0) check.kind = Check::Kind::numeric;
  constexpr double rounding = 1e-9;
  if (check.difference > rounding)
    throw std::logic_error("a feature map does not give its kernel back");
  return check;
}

}  // namespace mercer::feature
