#include "separable/explicit_map.hpp"

#include <algorithm>

#include "feature/list.hpp"
#include "kernel/print.hpp"

namespace mercer::separability {

namespace {

Expr coordinate(std::uint32_t i, std::uint32_t d) {
  return d == 1 ? algebra::only_coordinate(algebra::Side::x, {})
                : algebra::coordinate(algebra::Side::x, {}, i);
}

void extend(const std::vector<algebra::Monomial>& shorter, std::uint32_t d,
            std::vector<algebra::Monomial>& longer) {
  for (const auto& m : shorter)
    for (std::uint32_t i = m.empty() ? 1 : m.back().first; i <= d; ++i) {
      algebra::Monomial next = m;
      if (!next.empty() && next.back().first == i) {
        ++next.back().second;
      } else {
        next.emplace_back(i, 1);
      }
      longer.push_back(std::move(next));
    }
}

}  // namespace

ExplicitMap parse_map(std::string_view text, std::uint32_t d, std::span<const std::string> names) {
  ExplicitMap map{feature::parse_list(text, d, names), {}};
  for (const auto& e : map.coordinates) map.texts.push_back(algebra::print(e));
  return map;
}

std::string map_text(const std::vector<std::string>& texts) {
  std::string text;
  for (const auto& t : texts) text += (text.empty() ? "[" : ", ") + t;
  return text.empty() ? "[]" : text + "]";
}

std::vector<algebra::Monomial> monomials_up_to(std::uint32_t d, std::uint32_t n) {
  std::vector<algebra::Monomial> all;
  std::vector<algebra::Monomial> last{{}};
  for (std::uint32_t degree = 1; degree <= n; ++degree) {
    std::vector<algebra::Monomial> next;
    extend(last, d, next);
    all.insert(all.end(), next.begin(), next.end());
    last = std::move(next);
  }
  return all;
}

std::size_t count_monomials(std::uint32_t d, std::uint32_t n, std::size_t limit) {
  // C(d+n, n) - 1
  std::size_t count = 1;
  for (std::uint32_t i = 1; i <= n; ++i) {
    if (count > limit) return limit;
    count = count * (d + i) / i;
  }
  return std::min(count - 1, limit);
}

ExplicitMap map_of(const std::vector<algebra::Monomial>& monomials, std::uint32_t d) {
  ExplicitMap map;
  for (const auto& m : monomials) {
    std::vector<Expr> factors;
    factors.reserve(m.size());
    for (const auto& [i, n] : m) factors.push_back(algebra::power(coordinate(i, d), Rational(n)));
    map.coordinates.push_back(algebra::multiply(factors));
    map.texts.push_back(algebra::print(map.coordinates.back()));
  }
  return map;
}

}  // namespace mercer::separability
