#include "proof/exponential_sum.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "proof/constant_sign.hpp"
#include "proof/univariate.hpp"

namespace mercer::proof {

namespace {

// With q = exp(-u/L) in (0, 1], a polynomial in q.
std::optional<bool> by_polynomial(const std::vector<Decay>& terms) {
  std::int64_t L = 1;
  for (const auto& t : terms) {
    const auto down = (t.A - terms[0].A).denominator().to_int();
    if (!algebra::is_number(t.c) || !down || *down > 1000) return std::nullopt;
    L = std::lcm(L, *down);
    if (L > 100'000) return std::nullopt;
  }
  Univariate p;
  for (const auto& t : terms) {
    const auto n = ((t.A - terms[0].A) * Rational(L)).to_int();
    constexpr std::int64_t highest = 300;
    if (!n || *n > highest) return std::nullopt;
    if (p.size() <= static_cast<std::size_t>(*n)) p.resize(static_cast<std::size_t>(*n) + 1);
    p[static_cast<std::size_t>(*n)] += t.c->number;
  }
  return nonnegative_between(p, Rational(0), Rational(1));
}

}  // namespace

bool exponential_sum_nonnegative(std::vector<Decay> terms) {
  std::ranges::sort(terms, {}, &Decay::A);
  std::vector<Decay> joined;
  for (const auto& t : terms) {
    if (!joined.empty() && joined.back().A == t.A) {
      joined.back().c = algebra::add(joined.back().c, t.c);
    } else {
      joined.push_back(t);
    }
  }
  std::vector<int> signs;
  std::vector<algebra::Term> total;
  std::vector<Decay> kept;
  for (const auto& t : joined) {
    const auto sign = constant_sign(t.c);
    if (!sign) return false;
    if (*sign == 0) continue;
    kept.push_back(t);
    signs.push_back(*sign);
    total.push_back({1, t.c});
  }
  if (kept.empty()) return true;
  if (signs.front() < 0) return false;  // the slowest decides in the end
  std::size_t changes = 0;
  for (std::size_t i = 1; i < signs.size(); ++i)
    if (signs[i] != signs[i - 1]) ++changes;
  if (changes == 0) return true;
  // Descartes' rule for exponential sums (Laguerre): at most as many zeros as changes of sign. With
  // one, positive in the end and not negative at 0, there is none between.
  if (changes == 1) return constant_is_nonnegative(algebra::sum(total)) == true;
  return by_polynomial(kept) == true;
}

}  // namespace mercer::proof
