#include "proof/nonzero_point.hpp"

#include <algorithm>
#include <mercer/error.hpp>

#include "proof/candidates.hpp"

namespace mercer::proof {

namespace {

using algebra::Monomial;
using algebra::Polynomial;

// The power of coordinate i, which is taken out.
std::uint32_t take_power(Monomial& m, std::uint32_t i) {
  const auto at = std::ranges::find_if(m, [&](const auto& f) { return f.first == i; });
  if (at == m.end()) return 0;
  const std::uint32_t n = at->second;
  m.erase(at);
  return n;
}

Polynomial with_value(const Polynomial& p, bool of_x, std::uint32_t i, const Rational& value) {
  Polynomial result;
  for (const auto& [key, c] : p) {
    auto monomials = key;
    const std::uint32_t n = take_power(of_x ? monomials.first : monomials.second, i);
    const auto factor = power(value, n);
    if (!factor) throw Error("a number beyond the bound");
    Rational& total = result[monomials];
    total += c * *factor;
  }
  std::erase_if(result, [](const auto& term) { return term.second.is_zero(); });
  return result;
}

// Values for one coordinate such that all points with such coordinates are in the domain.
std::vector<Rational> values_for(const Domain& domain, std::uint32_t d) {
  auto values = simple_values(domain);
  if (domain.kind() != Domain::Kind::ball) return values;
  for (auto& v : values) v = v / Rational(static_cast<std::int64_t>(d));
  return values;
}

}  // namespace

std::optional<PointPair> nonzero_point(Polynomial p, std::uint32_t d, const Domain& domain) {
  if (domain.kind() == Domain::Kind::sphere || p.empty()) return std::nullopt;
  const auto values = values_for(domain, d);
  PointPair points{Point(d), Point(d)};
  for (std::uint32_t i = 1; i <= d; ++i)
    for (const bool of_x : {true, false}) {
      const auto good = std::ranges::find_if(
          values, [&](const Rational& v) { return !with_value(p, of_x, i, v).empty(); });
      if (good == values.end()) return std::nullopt;
      p = with_value(p, of_x, i, *good);
      (of_x ? points.x : points.z)[i - 1] = *good;
    }
  return points;
}

}  // namespace mercer::proof
