// Powers: u^r for a rational r is rewritten only where u^r is defined at the same u before and
// after.
#include <algorithm>
#include <mercer/error.hpp>

#include "base/integer.hpp"
#include "kernel/expr.hpp"
#include "kernel/simplify.hpp"

namespace mercer::algebra {

namespace {

Expr node(const Expr& base, const Expr& exponent) {
  Node n;
  n.op = Op::power;
  n.args = {base, exponent};
  return finish(std::move(n));
}

}  // namespace

Need need_of(const Expr& base, const Rational& r) {
  Need need;
  need.nonnegative = !r.is_integer() && !base->nonnegative;
  need.nonzero = r.sign() < 0 && !base->positive;
  return need;
}

Rational aside_exponent(const Need& asked) {
  const Rational half(1, 2);
  if (!asked.nonnegative) return -1;
  return asked.nonzero ? -half : half;
}

Expr power_asking(const Expr& base, const Rational& r, const Need& asked) {
  if (need_of(base, r) == asked) return power(base, r);
  const Rational aside = aside_exponent(asked);
  // An open parameter must not appear twice: then (1/u)^-1 stays nested.
  if (base->has_open || r.is_zero()) return node(power(base, aside), number(r / aside));
  return multiply(power(base, aside), power(base, r - aside));
}

CommonFactor take_common(const Expr& e) {
  if (e->op != Op::sum) return {1, e};
  Integer divisor = 0;   // of the numerators
  Integer multiple = 1;  // of the denominators
  const auto take = [&](const Rational& c) {
    const Fraction value(c);
    divisor = boost::multiprecision::gcd(divisor, value.up);
    multiple = boost::multiprecision::lcm(multiple, value.down);
  };
  take(e->number);
  for (const auto& c : e->coefficients) take(c);
  if (divisor == 0) return {1, e};
  int sign = e->number.sign();
  for (std::size_t i = 0; sign == 0; ++i) sign = e->coefficients[i].sign();
  const Rational factor = ratio(sign < 0 ? Integer(-divisor) : divisor, multiple);
  if (factor.is_one()) return {1, e};
  return {factor, scale(Rational(1) / factor, e)};
}

namespace {

// All coefficients agree up to sign.
bool is_uniform(const Expr& sum) {
  const Rational size = abs(sum->coefficients[0]);
  const auto same = [&](const Rational& c) { return abs(c) == size; };
  return std::ranges::all_of(sum->coefficients, same) &&
         (sum->number.is_zero() || same(sum->number));
}

// c^r for rational c > 0 and r not an integer, as a rational times primes to powers in (0, 1). Only
// small primes are looked for: a large cofactor stays one base.
class Root {
 public:
  Root(const Rational& c, const Rational& r) {
    const Fraction value(c);
    split(value.up, r);
    split(value.down, -r);
  }

  // A single base that cannot be split further: 2^(1/2).
  [[nodiscard]] bool irreducible() const { return folded_.is_one() && bases_.size() == 1; }

  [[nodiscard]] Expr expr() const {
    std::vector<Expr> factors{number(folded_)};
    for (const auto& [base, exponent] : bases_)
      factors.push_back(node(number(rational(base)), number(exponent)));
    return irreducible() ? factors[1] : multiply(factors);
  }

 private:
  void split(Integer n, const Rational& exponent) {
    constexpr unsigned largest_prime = 1000;
    for (unsigned p = 2; p < largest_prime && n > 1; ++p) {
      std::int64_t times = 0;
      for (; n % p == 0; ++times) n /= p;
      if (times > 0) take(p, Rational(times) * exponent);
    }
    if (n == 1) return;
    // What is left may still be a perfect square (of a large prime, say).
    const Integer s = boost::multiprecision::sqrt(n);
    if (s * s == n) {
      take(s, Rational(2) * exponent);
    } else {
      take(n, exponent);
    }
  }

  // base^exponent = base^whole * base^rest with 0 <= rest < 1.
  void take(const Integer& base, const Rational& exponent) {
    const Fraction value(exponent);
    Integer below = value.up / value.down;
    if (exponent.sign() < 0 && !exponent.is_integer()) --below;
    const Rational whole = rational(below);
    const auto fits = whole.to_int();
    const auto exact = fits ? power(rational(base), *fits) : std::nullopt;
    if (!exact) {
      bases_.emplace_back(base, exponent);
      return;
    }
    folded_ *= *exact;
    const Rational rest = exponent - whole;
    if (!rest.is_zero()) bases_.emplace_back(base, rest);
  }

  Rational folded_ = 1;
  std::vector<std::pair<Integer, Rational>> bases_;
};

Expr power_of_number(const Expr& base, const Rational& r) {
  const Rational& c = base->number;
  if (c.is_one()) return base;
  if (r.is_integer()) {
    if (c.is_zero() && r.sign() < 0) throw Error("division by zero");
    const auto n = r.to_int();
    const auto folded = n ? power(c, *n) : std::nullopt;
    return folded ? number(*folded) : node(base, number(r));
  }
  if (c.sign() < 0) throw Error("(" + c.text() + ")^(" + r.text() + ") is not a real number");
  if (c.is_zero()) {
    if (r.sign() < 0) throw Error("division by zero");
    return base;
  }
  return Root(c, r).expr();
}

Expr power_of_product(const Expr& base, const Rational& r) {
  std::vector<Expr> factors;
  if (r.is_integer()) {
    for (const auto& arg : base->args) factors.push_back(power(arg, r));
    return multiply(factors);
  }
  // A root may be taken of a positive factor by itself, and of one that is >= 0 where the others
  // are too, or where no factor may be 0: (x1^2*x2)^(1/2) is defined at x1 = 0, x2 = -1.
  const bool split_zero = base->nonnegative || r.sign() < 0;
  std::vector<Expr> rest;
  for (const auto& arg : base->args) {
    if (arg->positive || (arg->nonnegative && split_zero)) {
      factors.push_back(power(arg, r));
    } else {
      rest.push_back(arg);
    }
  }
  if (factors.empty()) return node(base, number(r));
  if (!rest.empty()) factors.push_back(power(multiply(rest), r));
  return multiply(factors);
}

// (u^s)^r, which is u^(s r), and |u|^(s r) where s is even and r is not whole.
Expr power_of_power(const Expr& base, const Rational& r) {
  const Expr& u = base->args[0];
  const Rational& s = base->args[1]->number;
  if (s.is_zero()) return base;  // 1, wherever u has a value
  const bool through_abs = s.is_even() && !r.is_integer() && !u->nonnegative;
  const Expr inner = through_abs ? apply_function(Function::abs, u) : u;
  const Need outer{.nonnegative = !r.is_integer() && !base->nonnegative,
                   .nonzero = r.sign() < 0 && !base->positive};
  return power_asking(inner, s * r, need_of(u, s) | outer);
}

}  // namespace

Expr power(const Expr& base, const Rational& r) {
  if (r.is_one()) return base;
  if (r.is_zero() && base->total) return number(1);
  switch (base->op) {
    case Op::number:
      return power_of_number(base, r);
    case Op::product:
      return power_of_product(base, r);
    case Op::power:
      if (is_number(base->args[1])) return power_of_power(base, r);
      break;
    case Op::function:
      if (base->fn == Function::exp) return apply_function(Function::exp, scale(r, base->args[0]));
      if (base->fn == Function::abs && r.is_even()) return power(base->args[0], r);
      break;
    case Op::sum: {
      const auto [c, u] = split_coefficient(base);
      if (c.is_zero() && r.sign() < 0) throw Error("division by zero");
      if (c.is_zero() && r.sign() > 0) return base;
      // Not for large exponents, where factor^r may leave the range of doubles though the power
      // does not; and of a root only what all coefficients share, so that it stays readable.
      constexpr std::int64_t largest = 64;
      const bool safe = abs(r) <= Rational(largest);
      if (!c.is_one() && base->args.size() == 1 && base->number.is_zero() && !c.is_zero()) {
        if (!safe && !abs(c).is_one()) break;
        if (r.is_integer() || c.sign() > 0) return multiply(power(number(c), r), power(u, r));
        if (c == -1) break;
        return multiply(power(number(-c), r), power(scale(-1, u), r));
      }
      const auto [factor, rest] = take_common(base);
      if (!factor.is_one() && safe && (r.is_integer() || (factor.sign() > 0 && is_uniform(base))))
        return multiply(power(number(factor), r), power(rest, r));
      break;
    }
    default:
      break;
  }
  return node(base, number(r));
}

Expr power(const Expr& base, const Expr& exponent) {
  if (is_number(exponent)) return power(base, exponent->number);
  if (is_function(base, Function::exp))
    return apply_function(Function::exp, multiply(base->args[0], exponent));
  return node(base, exponent);
}

Expr sqrt(const Expr& e) { return power(e, Rational(1, 2)); }

}  // namespace mercer::algebra
