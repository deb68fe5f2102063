#include "kernel/count.hpp"

namespace mercer::algebra {

namespace {

Integer binomial(const Integer& n, std::uint64_t k) {
  Integer result = 1;
  for (std::uint64_t i = 1; i <= k; ++i)
    result = result * (n - static_cast<std::int64_t>(k) + static_cast<std::int64_t>(i)) /
             static_cast<std::int64_t>(i);
  return result;
}

std::string factor(const Count& c) { return c.is_sum ? "(" + c.text + ")" : c.text; }

}  // namespace

Count Count::of(Integer n) {
  std::string text = n.str();
  return {std::move(n), std::move(text), false};
}

Count operator+(const Count& a, const Count& b) {
  if (a.number && b.number) return Count::of(*a.number + *b.number);
  if (a.number && a.number->is_zero()) return b;
  if (b.number && b.number->is_zero()) return a;
  return {std::nullopt, a.text + " + " + b.text, true};
}

Count operator*(const Count& a, const Count& b) {
  if (a.number && b.number) return Count::of(*a.number * *b.number);
  if (a.number && *a.number == 1) return b;
  if (b.number && *b.number == 1) return a;
  return {std::nullopt, factor(a) + "*" + factor(b), false};
}

std::optional<Count> choose(const Count& m, std::int64_t more, std::uint64_t k) {
  constexpr std::uint64_t many = 20'000;
  if (m.number) {
    const Integer n = *m.number + more;
    if (n < static_cast<std::int64_t>(k)) return Count::of(0);
    // C(n, k) = C(n, n-k): the smaller one is computed.
    const Integer other = n - static_cast<std::int64_t>(k);
    if (other < static_cast<std::int64_t>(k) && other <= static_cast<std::int64_t>(many))
      return Count::of(binomial(n, other.convert_to<std::uint64_t>()));
    if (k > many) return std::nullopt;
    return Count::of(binomial(n, k));
  }
  if (k == 0) return Count::of(1);
  const std::string n = more == 0  ? m.text
                        : more > 0 ? factor(m) + "+" + std::to_string(more)
                                   : factor(m) + std::to_string(more);
  if (k == 1) return more == 0 ? m : Count{std::nullopt, n, true};
  return Count{std::nullopt, "C(" + n + ", " + std::to_string(k) + ")", false};
}

std::optional<Count> raise(const Count& base, const Count& exponent) {
  if (base.number && *base.number <= 1) return base;  // 0 to no power but positive ones
  if (base.number && exponent.number) {
    constexpr std::int64_t most = 10'000;
    if (*exponent.number > most ||
        boost::multiprecision::msb(*base.number) * exponent.number->convert_to<std::int64_t>() >
            60'000)
      return Count{std::nullopt, base.text + "^" + exponent.text, false};
    return Count::of(
        boost::multiprecision::pow(*base.number, exponent.number->convert_to<unsigned>()));
  }
  return Count{std::nullopt, factor(base) + "^" + factor(exponent), false};
}

}  // namespace mercer::algebra
